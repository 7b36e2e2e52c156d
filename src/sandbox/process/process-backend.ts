/**
 * What a back end for the whole process is: a way to start this program anew, inside, so that everything it does happens
 * there. What it gives is a program like any; who waits for it, and what becomes of signals, is `run-inside.ts`'s.
 */
import type { Effect, Scope } from "effect"
import type { SandboxReport } from "../../protocol/sandbox-report.ts"
import type { ChildVariables } from "../../system/child-variables.ts"
import type { Program } from "../../system/programs.ts"
import type { DomainRule } from "../domain-rules.ts"
import type { SandboxUnavailable } from "../sandbox-unavailable.ts"
import type { ProcessName } from "./find-process-backend.ts"

export interface ProcessBackend {
  readonly name: ProcessName
  readonly strength: SandboxReport["strength"]
  readonly gaps: (hop: Hop) => ReadonlyArray<string>
  /** What it needs beside the program goes with the scope. */
  readonly enter: (hop: Hop) => Effect.Effect<EnteredProcess, SandboxUnavailable, Scope.Scope>
}

export interface EnteredProcess {
  readonly program: Program
  /** Hands a signal on to what runs inside, where the program that was started does not. */
  readonly signal?: (signal: NodeJS.Signals, pid: number) => Effect.Effect<void>
  /** Ends it in any case. */
  readonly end?: Effect.Effect<void>
  /** Something that it cannot do without has ended. */
  readonly lost?: Effect.Effect<string>
}

export interface Mount {
  readonly from: string
  readonly to: string
  readonly mode: "ro" | "rw"
}

/** Everything that is to be there inside. Paths are absolute and real, and the same inside unless said otherwise. */
export interface Hop {
  /** The program, and what it is started with. */
  readonly self: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** Further folders of the workspace. */
  readonly roots: ReadonlyArray<string>
  readonly home: string | undefined
  /** Stand-ins and parts of `~/.gemini`. */
  readonly userFolder: ReadonlyArray<Mount>
  /** `~/.gemini` */
  readonly userDir: string
  /** Inside the workspace, to be read only. */
  readonly guarded: ReadonlyArray<string>
  /** Data of repositories outside the workspace. */
  readonly repositories: ReadonlyArray<string>
  readonly allowedPaths: ReadonlyArray<string>
  /** From elsewhere, to be read: credentials of requests, settings of the machine, what the command line names. */
  readonly files: ReadonlyArray<string>
  /** For the program inside; secrets among them. */
  readonly variables: Readonly<Record<string, string>>
  /** For programs out here that make the inside: nothing secret is among them. */
  readonly engineVariables: ChildVariables
  /** Asks for a variable out here. */
  readonly get: (name: string) => string | undefined
  /** `PATH` */
  readonly path: string
  readonly network: "on" | ReadonlyArray<DomainRule>
  readonly image: string | undefined
  readonly takesTerminal: boolean
  readonly isTrusted: boolean
  /** Of this run alone; nobody else can enter it. */
  readonly folder: string
  /** Part of it: the folder for temporary files inside. */
  readonly temp: string
  readonly warn: (text: string) => Effect.Effect<void>
}
