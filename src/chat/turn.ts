/**
 * One turn: a request, its streamed answer as events, and the judgement whether the answer can be used. An answer that
 * cannot be used, or whose stream broke, is asked for again as long as the person has seen nothing of it.
 */
import { Effect } from "effect"
import type { ModelError } from "../retry/model-error.ts"
import type { Answer } from "./answer.ts"
import { describeFault, findFault, MAX_ATTEMPTS, maxAttemptsFor, retryNote } from "./answer-check.ts"
import { type AttemptRequest, type Emit, runAttempt } from "./attempt.ts"
import { InvalidAnswer } from "./chat-error.ts"
import { finishNotice } from "./finish-notice.ts"

export interface TurnRequest extends Omit<AttemptRequest, "model" | "config" | "reconfigured"> {
  /** The request carries tool results: the model may have nothing to add. */
  readonly afterTools: boolean
  /** Nobody sees text before the run ends, so an attempt may be dropped even after text arrived. */
  readonly restartable: boolean
  /** Attempts that the settings allow for one request. */
  readonly maxAttempts: number
  /** `model`: another one than that of the conversation. */
  readonly configFor: (attempt: {
    readonly isRetry: boolean
    readonly model?: string
  }) => Pick<AttemptRequest, "model" | "config">
}

export interface TurnResult {
  readonly answer: Answer
  /** The model repeated itself, and the answer was stopped. */
  readonly isChant: boolean
}

export const runTurn = Effect.fn("Chat.turn")(function* (request: TurnRequest, emit: Emit) {
  let note: string | undefined
  for (let attempt = 1; ; attempt++) {
    const systemInstruction = [request.systemInstruction, ...(note === undefined ? [] : [note])].join("\n\n")
    const isRetry = attempt > 1
    const reconfigured = (model: string) => request.configFor({ isRetry, model })
    const asked = { ...request, ...request.configFor({ isRetry }), reconfigured, systemInstruction }
    const result = yield* runAttempt(asked, emit)
    const mayRestart = request.restartable || !result.shown
    if (result.broken !== undefined) {
      if (!(mayRestart && canReopen(result.broken) && attempt < Math.min(MAX_ATTEMPTS, request.maxAttempts)))
        return yield* result.broken
      note = undefined
      yield* restart(attempt, result.broken.message, emit)
      continue
    }
    if (result.isChant) {
      yield* emit({ _tag: "TurnRestarted", reason: "the answer repeated itself" })
      return { answer: result.answer, isChant: true } satisfies TurnResult
    }
    const fault = findFault(result.answer, request)
    if (fault === undefined) {
      const notice = finishNotice(result.answer.finishReason ?? "")
      if (notice !== undefined) yield* emit({ _tag: "Notice", severity: "warning", message: notice })
      return { answer: result.answer, isChant: false } satisfies TurnResult
    }
    yield* emit({ _tag: "AnswerRejected", model: result.model, role: request.role, kind: fault })
    const detail = describeFault(fault, result.answer)
    const maxAttempts = Math.min(maxAttemptsFor(fault, result.answer), request.maxAttempts)
    if (!mayRestart || attempt >= maxAttempts) return yield* new InvalidAnswer({ kind: fault, detail })
    note = retryNote(fault)
    yield* restart(attempt, detail, emit)
  }
})

/** Failures before the first chunk were retried where the connection is made; only a body that broke is left. */
const canReopen = (error: ModelError): boolean => error.phase === "body" && error.isRetryable

const restart = Effect.fnUntraced(function* (attempt: number, reason: string, emit: Emit) {
  yield* emit({ _tag: "TurnRestarted", reason })
  yield* Effect.sleep(`${2 ** (attempt - 1)} seconds`)
})
