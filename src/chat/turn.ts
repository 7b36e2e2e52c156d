/**
 * One turn: a request, its streamed answer as events, and the judgement whether the answer can be used. An answer that
 * cannot be used, or whose stream broke, is asked for again as long as the person has seen nothing of it.
 */
import { Effect, Schedule } from "effect"
import type { ModelError } from "../retry/model-error.ts"
import { answerAgain, told } from "../retry/schedules.ts"
import type { Answer } from "./answer.ts"
import { describeFault, findFault, MAX_ATTEMPTS, maxAttemptsFor, retryNote } from "./answer-check.ts"
import { type AttemptRequest, type Emit, runAttempt } from "./attempt.ts"
import { InvalidAnswer } from "./chat-error.ts"

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
  let attempt = 0
  let note: string | undefined
  /** Why the last answer cannot be used. */
  let reason = ""
  const once = Effect.gen(function* () {
    attempt += 1
    const systemInstruction = [request.systemInstruction, ...(note === undefined ? [] : [note])].join("\n\n")
    const isRetry = attempt > 1
    const reconfigured = (model: string) => request.configFor({ isRetry, model })
    const asked = { ...request, ...request.configFor({ isRetry }), reconfigured, systemInstruction }
    const result = yield* runAttempt(asked, emit)
    const mayRestart = (maxAttempts: number) =>
      (request.restartable || !result.shown) && attempt < Math.min(maxAttempts, request.maxAttempts)
    if (result.broken !== undefined) {
      note = undefined
      reason = result.broken.message
      return yield* unusable(result.broken, canReopen(result.broken) && mayRestart(MAX_ATTEMPTS))
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
    note = retryNote(fault)
    reason = describeFault(fault, result.answer)
    const error = new InvalidAnswer({ kind: fault, detail: reason })
    return yield* unusable(error, mayRestart(maxAttemptsFor(fault, result.answer)))
  })
  return yield* once.pipe(
    Effect.retry(told(Schedule.whileInput(answerAgain, isWorthAnother), () => emit({ _tag: "TurnRestarted", reason }))),
    Effect.catchTag("Unusable", ({ error }) => Effect.fail(error))
  )
})

/** The failure of one attempt; without another one the turn fails with the error in it. */
interface Unusable {
  readonly _tag: "Unusable"
  readonly error: InvalidAnswer | ModelError
  readonly isWorthAnother: boolean
}

const isWorthAnother = (failure: { readonly _tag: string }): boolean =>
  failure._tag === "Unusable" && "isWorthAnother" in failure && failure.isWorthAnother === true

const unusable = (error: Unusable["error"], isWorthAnother: boolean) =>
  Effect.fail<Unusable>({ _tag: "Unusable", error, isWorthAnother })

/** Failures before the first chunk were retried where the connection is made; only a body that broke is left. */
const canReopen = (error: ModelError): boolean => error.phase === "body" && error.isRetryable

/** What a person is told when an answer was shown but did not end normally. */
const finishNotice = (reason: string): string | undefined =>
  Object.hasOwn(NOTICES, reason) ? NOTICES[reason] : undefined

const NOTICES: Readonly<Record<string, string>> = {
  MAX_TOKENS: "The answer was cut off: the output token limit was reached.",
  SAFETY: "The answer was stopped by a safety filter.",
  RECITATION: "The answer was stopped because it repeated its sources.",
  LANGUAGE: "The answer was stopped: the language is not supported.",
  BLOCKLIST: "The answer was stopped because of forbidden terms.",
  PROHIBITED_CONTENT: "The answer was stopped because of prohibited content.",
  SPII: "The answer was stopped because it may hold personal data.",
  OTHER: "The answer was stopped for a reason that the service did not name.",
  MALFORMED_FUNCTION_CALL: "The answer ended in a tool call that cannot be read.",
  UNEXPECTED_TOOL_CALL: "The answer ended in a call to a tool that was not offered.",
  IMAGE_SAFETY: "An image of the answer was stopped by a safety filter.",
  IMAGE_PROHIBITED_CONTENT: "An image of the answer was stopped because of prohibited content.",
  NO_IMAGE: "The answer was to hold an image, but none was made."
}
