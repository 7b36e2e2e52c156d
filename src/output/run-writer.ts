/**
 * The reader of a headless run's events. Exactly one `finish` on every path, also when the run never began: what it
 * writes is the one result that a pipeline can count on.
 */
import { Context, type Effect, type Ref } from "effect"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { SessionId } from "../protocol/ids.ts"
import type { ExtraEvent } from "../protocol/modes.ts"
import type { RunFailure, RunOutcome } from "../protocol/outcome.ts"
import type { OutputError } from "./stdout.ts"

export class RunWriter extends Context.Tag("agent/output/RunWriter")<
  RunWriter,
  {
    readonly onEvent: (event: ProtocolEvent) => Effect.Effect<void, OutputError>
    readonly finish: (outcome: RunOutcome) => Effect.Effect<void, OutputError>
  }
>() {}

export interface WriterOptions {
  readonly sessionId: SessionId
  /** The model as asked for on the command line; replaced by what the run says when it starts. */
  readonly model: string
  /** One of many prompts of a process: which, and whether `init` was written. */
  readonly prompt?: { readonly index: number; readonly begun: Ref.Ref<boolean> }
  /** Of the events that not everybody wants: those that stream-json has. */
  readonly extraEvents: ReadonlyArray<ExtraEvent>
  /** Control sequences in model text are passed on. */
  readonly raw: boolean
}

/** The failure in one line: what happened, then what to do, then where more is said. */
export const failureLine = ({ help, hint, message }: RunFailure): string => {
  const text = hint === undefined ? message : `${message}${/[.!?:;\]]$/.test(message) ? "" : "."} ${hint}`
  return `error: ${text} [gemini help ${help}]`
}
