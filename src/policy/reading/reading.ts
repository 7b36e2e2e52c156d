/**
 * What is understood of a command line before it runs: for each command whether it only reads what it may read, and if
 * not, every doubt by name. Permissions look at the doubts: a person who named a program in a rule has settled some of
 * them, never all.
 */
import type { ShellProgram } from "../../shell/invocation.ts"
import type { CallWord, GitFolder, ProgramEffect } from "./program-table.ts"
import type { ProgramOrigin } from "./system-program.ts"

export type Doubt =
  /** No table knows the program. */
  | { readonly kind: "program"; readonly why: string }
  /** The name does not lead to a program of the system. `isOwn`: to the person's own; otherwise it may be anybody's. */
  | { readonly kind: "lookup"; readonly isOwn: boolean; readonly why: string }
  /** The program, as it is called, does more than read: that is what it is for. */
  | { readonly kind: "nature"; readonly effect: ProgramEffect; readonly why: string }
  /** An option that no table lists, or one that does more than the program is for. */
  | {
      readonly kind: "option"
      readonly option: string
      readonly effect: ProgramEffect | "unknown"
      readonly why: string
    }
  /** Something about the call that the program would act on, and no option. */
  | { readonly kind: "argument"; readonly effect: ProgramEffect | "unknown"; readonly why: string }
  /** A path outside of what may be read, or one that is closed. */
  | { readonly kind: "path"; readonly why: string }
  /** A word that is known only when the line runs. */
  | { readonly kind: "word"; readonly why: string }
  /** A variable that is set for the command, or for all that follow. */
  | { readonly kind: "environment"; readonly why: string }
  /** An earlier command may have changed what names mean, or the working folder. */
  | { readonly kind: "state"; readonly why: string }
  /** A script inside an argument that is not plain. */
  | { readonly kind: "script"; readonly why: string }

/** A redirection that touches more than descriptors and `/dev/null`. */
export interface RedirectedFile {
  readonly access: "read" | "write" | "document"
  /** Every real path it may be; `undefined`: not known. Absent for documents. */
  readonly paths?: ReadonlyArray<string> | undefined
  readonly text: string
}

/** One way in which a command may be called. */
export interface PossibleCall {
  readonly words: ReadonlyArray<CallWord>
  /** Every folder that may be the working folder then; `undefined`: not known. */
  readonly folders: ReadonlyArray<string> | undefined
}

export interface UnderstoodCommand {
  /** Its assignments and words as they stand in the text. */
  readonly written: ReadonlyArray<string>
  /** As far as they are known; where several values are possible, those of the first. */
  readonly words: ReadonlyArray<CallWord>
  /** The words behind wrappers that change nothing (`timeout 5 …`); otherwise the same. */
  readonly inner: ReadonlyArray<CallWord>
  /** Every call that is possible; `undefined`: they cannot be listed. */
  readonly calls: ReadonlyArray<PossibleCall> | undefined
  readonly doubts: ReadonlyArray<Doubt>
  readonly redirections: ReadonlyArray<RedirectedFile>
  /** The commands of a script in its arguments: `bash -c '…'`. */
  readonly nested: ReadonlyArray<UnderstoodCommand>
  /** The table that knows the innermost program. */
  readonly isKnown: boolean
}

/** In the order in which they stand in the text, those of substitutions included. */
export type LineReading =
  | { readonly _tag: "Understood"; readonly commands: ReadonlyArray<UnderstoodCommand> }
  | { readonly _tag: "NotPlain"; readonly detail: string }

/** What the reading needs to know of the machine and the run. All of it is asked at the moment of the decision. */
export interface ReadingPlace {
  /** Where the line begins to run. */
  readonly folder: string
  readonly home: string | undefined
  /** The environment that the command will get. */
  readonly variables: Readonly<Record<string, string>>
  readonly dialect: ShellProgram["dialect"]
  /** May this real path be read? */
  readonly isReadable: (real: string) => boolean
  /** Whether names that may not be read stand somewhere below a folder. */
  readonly holdsClosed: (real: string) => boolean
  readonly programOrigin: (name: string) => ProgramOrigin
  /** The repository that git would find from this folder. */
  readonly gitFolder: (folder: string) => GitFolder
  /** The line gets the environment of lines that only read, if it is one; then some programs pass over closed names. */
  readonly isGuarded?: boolean
}

export const readsOnly = (command: UnderstoodCommand): boolean =>
  command.doubts.length === 0 && command.nested.every(readsOnly)

/** Reads, and has nothing else opened for it either. */
export const readsAlone = (command: UnderstoodCommand): boolean =>
  command.doubts.length === 0 && command.redirections.length === 0 && command.nested.every(readsAlone)

/** It makes no files. */
export const leavesNames = ({ doubts, nested, redirections }: UnderstoodCommand): boolean =>
  doubts.length === 0 && nested.every(leavesNames) && redirections.every(({ access }) => access !== "write")
