/**
 * The wall between the programs that a run starts and the machine.
 *
 * `confine` turns a program into one that starts inside: it has other arguments and variables, and goes through
 * `system/programs` like any. So nobody who starts programs has to know what the wall is made of. A back end is a function
 * from a profile (`profile.ts`, what can be reached) to such a program; bubblewrap and Landlock are two, and more are
 * further files beside them. Nothing is made before the first program asks for it.
 *
 * A sandbox that was asked for stands around everything. Without one, where a back end works, it stands around the
 * commands that run unasked, because those must not be able to do more than read.
 */
import { Context, Data, Effect, Layer } from "effect"
import type { SandboxReport } from "../protocol/sandbox-report.ts"
import type { Program } from "../system/programs.ts"

export interface Confinement {
  /** `read`: the workspace cannot be changed and there is no network, whatever the settings say. */
  readonly access: "read" | "write"
  /** The program commits, or changes branches: the data of the repository may be written. */
  readonly usesGit?: boolean
  /** Real paths that it needs besides. */
  readonly reads?: ReadonlyArray<string>
  readonly writes?: ReadonlyArray<string>
  /** Programs that it starts, where that is known: `sandbox.toml` may open more to them. */
  readonly commands?: ReadonlyArray<string>
  /** It goes on when we end. */
  readonly outlives?: boolean
}

export interface ConfinedProgram extends Program {
  /** Processes have other numbers inside than outside. */
  readonly numbersOwn?: boolean
  /** Hosts, with their ports, that the sandbox did not let programs connect to since this one started. */
  readonly refusedHosts?: () => ReadonlyArray<string>
}

/** The wall could not be made, so nothing was started. */
export class SandboxFault extends Data.TaggedError("SandboxFault")<{ readonly detail: string }> {
  override get message() {
    return `the sandbox could not be set up: ${this.detail}`
  }
}

export class Sandbox extends Context.Tag("agent/sandbox/Sandbox")<
  Sandbox,
  {
    /** What it is and what it leaves open; `undefined` where only commands that run unasked are confined, or none. */
    readonly report: Effect.Effect<SandboxReport | undefined>
    readonly confine: (program: Program, how: Confinement) => Effect.Effect<ConfinedProgram, SandboxFault>
    /** Whether a program with this access is confined. */
    readonly confines: (access: Confinement["access"]) => Effect.Effect<boolean>
  }
>() {}

/** Everything runs as it is. */
export const none: Sandbox["Type"] = {
  report: Effect.succeed(undefined),
  confine: (program) => Effect.succeed(program),
  confines: () => Effect.succeed(false)
}

export const layerNone = Layer.succeed(Sandbox, none)
