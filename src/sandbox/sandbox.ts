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
import type { CommandGrant } from "./command-grants.ts"

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
  /** What somebody agreed to open to this one program. */
  readonly opens?: CommandGrant
  /** It goes on when we end. */
  readonly outlives?: boolean
}

export interface ExpansionRequest {
  readonly cwd: string
  readonly how: Confinement
  readonly because: /** The model says what it needs. */
    | { readonly _tag: "Stated"; readonly wish: CommandGrant }
    /** Programs with their arguments, of which it is known what they need. */
    | { readonly _tag: "Usual"; readonly commands: ReadonlyArray<ReadonlyArray<string>> }
    /** What it printed as it failed, and where it was not let through. */
    | { readonly _tag: "Denied"; readonly output: string; readonly refusedHosts: ReadonlyArray<string> }
}

/** What a person could open to a program. */
export interface Expansion {
  readonly _tag: "Offer"
  readonly grant: CommandGrant
  /** The same in words. */
  readonly opens: string
  /** Where the wish comes from. */
  readonly origin: string
  /** Absent: it can be opened once, because it is not for one program by its name. */
  readonly standing?: {
    readonly what: string
    /** As it would stand in `sandbox.toml`. */
    readonly entry: Effect.Effect<string>
    /** What to tell the person about it. */
    readonly keep: (how: "session" | "user") => Effect.Effect<string | undefined>
  }
}

/** It is never opened by an answer to a question. */
export interface ExpansionRefused {
  readonly _tag: "Refused"
  readonly reason: string
}

export interface ConfinedProgram extends Program {
  /** Processes have other numbers inside than outside. */
  readonly numbersOwn?: boolean
  /** Hosts, with their ports, that the sandbox did not let programs connect to since this one started. */
  readonly refusedHosts?: () => ReadonlyArray<string>
  /** To be done when it has ended: takes back what could not be prevented. */
  readonly afterwards?: Effect.Effect<void>
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
    /** What could be opened to a program; `undefined`: it lacks nothing, or nothing that can be told. */
    readonly expansion: (request: ExpansionRequest) => Effect.Effect<Expansion | ExpansionRefused | undefined>
  }
>() {}

/** Everything runs as it is. */
export const none: Sandbox["Type"] = {
  report: Effect.succeed(undefined),
  confine: (program) => Effect.succeed(program),
  confines: () => Effect.succeed(false),
  expansion: () => Effect.succeed(undefined)
}

export const layerNone = Layer.succeed(Sandbox, none)
