/**
 * `!` lines: the person's own commands, run in the project without asking. What they print streams to the person and
 * is added to the conversation, so that the model knows of it; no model is called.
 */
import { Context, type Effect } from "effect"
import type { Content } from "../protocol/content.ts"
import type { CommandError } from "./command-error.ts"

export interface ShellLineResult {
  /** `undefined` after a signal. */
  readonly exitCode: number | undefined
  /** What the conversation gets: append it to the history. */
  readonly turn: Content
  /** For the person, such as a folder that was left. */
  readonly notes: ReadonlyArray<string>
}

export class ShellLine extends Context.Tag("agent/commands/ShellLine")<
  ShellLine,
  {
    /** Interrupting it ends the process group. */
    readonly run: (
      command: string,
      onOutput: (text: string) => Effect.Effect<void>
    ) => Effect.Effect<ShellLineResult, CommandError>
    /** Where the next line runs: `!cd` moves it. */
    readonly cwd: Effect.Effect<string>
  }
>() {}
