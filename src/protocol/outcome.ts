/** How a run ended: the one value from which the result document, the `result` event and the exit code are made. */
import { Schema } from "effect"
import type { EventOf } from "./event.ts"
import type { FailureCode } from "./failure-help.ts"

export const CompletionReason = Schema.Literal(
  "success",
  "max_turns",
  "max_tool_calls",
  "timeout",
  "budget",
  "quota",
  "denied",
  "loop",
  "cancelled",
  "stopped_by_hook",
  "auth",
  "input",
  "config",
  "schema",
  "tool",
  "api",
  "empty",
  "internal"
)
export type CompletionReason = typeof CompletionReason.Type

export interface RunFailure {
  /** Name of the error class that existing scripts match on, such as `FatalInputError`. */
  readonly type: string
  /** What happened and where, in one line. */
  readonly message: string
  /** What to do about it, in one line. */
  readonly hint?: string
  /** The page that says more: `gemini help CODE`. */
  readonly help: FailureCode
  /** Exit code, HTTP status or tool error type: what a script branches on. */
  readonly code?: number | string
  /** HTTP status of a failed model request. */
  readonly status?: number
}

export interface RunOutcome {
  readonly completionReason: CompletionReason
  readonly exitCode: number
  /** Answered from what was kept: no model was asked. */
  readonly cached?: true
  /** Absent when the run did what was asked. */
  readonly failure?: RunFailure
}

export const succeeded: RunOutcome = { completionReason: "success", exitCode: 0 }

/** How a reader says that a hook ended the work on a prompt. Scripts look for these words. */
export const haltText = ({ contextCleared, kind, reason }: EventOf<"RunHalted">): string =>
  `Agent execution ${kind}: ${reason}${contextCleared ? " (the conversation was cleared)" : ""}`
