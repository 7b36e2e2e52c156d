/**
 * `!` lines: the person's own commands, run without asking. What they print streams to the person and is added to the
 * conversation, so that the model knows of it; no model is called.
 */
import { Context, type Effect } from "effect"
import type { CommandCompletion } from "./command.ts"
import type { CommandError } from "./command-error.ts"

export interface ShellLineResult {
  /** `undefined` after a signal. */
  readonly exitCode: number | undefined
  /** For the person, such as the folder that the next line runs in. */
  readonly notes: ReadonlyArray<string>
}

export class ShellLine extends Context.Tag("agent/slash/ShellLine")<
  ShellLine,
  {
    /** Interrupting it ends all its processes; the conversation is told of that too. */
    readonly run: (
      command: string,
      onOutput: (text: string) => Effect.Effect<void>
    ) => Effect.Effect<ShellLineResult, CommandError>
    /** Where the next line runs: `!cd` moves it. */
    readonly cwd: Effect.Effect<string>
    /** For a command without its `!`: programs, files and folders. */
    readonly complete: (command: string, cursor: number) => Effect.Effect<CommandCompletion>
  }
>() {}

/**
 * Shortens a long output: its beginning says what it is, its end what came of it.
 * At most `limit` characters of the text, with a line between that says how many are missing.
 */
export const headAndTail = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, "")
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, "")
  return `${head}\n... [${text.length - head.length - tail.length} characters left out] ...\n${tail}`
}
