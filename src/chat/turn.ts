/**
 * One turn: a request, its streamed answer as events, and the judgement whether the answer can be used. An answer that
 * cannot be used, or whose stream broke, is asked for again as long as the person has seen nothing of it.
 */
import { Effect, Schedule } from "effect"
import type { Emit } from "../protocol/event.ts"
import type { ModelError } from "../retry/model-error.ts"
import { answerAgain, told } from "../retry/schedules.ts"
import { SilenceBudget } from "../retry/silence-budget.ts"
import type { Answer } from "./answer.ts"
import { type AttemptRequest, runAttempt } from "./attempt.ts"
import { InvalidAnswer } from "./chat-error.ts"

export interface TurnRequest extends Omit<AttemptRequest, "model" | "config" | "reconfigured" | "silence"> {
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

/** Whether an answer can be used, and what to tell the person when it cannot. */
export type AnswerFault =
  | "NO_FINISH_REASON"
  | "MALFORMED_FUNCTION_CALL"
  | "UNEXPECTED_TOOL_CALL"
  | "MAX_TOKENS_EXCEEDED"
  | "SAFETY_BLOCKED"
  | "RECITATION_BLOCKED"
  | "OTHER_BLOCKED"
  | "THINKING_ONLY_RESPONSE"
  | "NO_RESPONSE_TEXT"

/**
 * Any function call makes an answer valid. After tool results an answer may be empty and may lack a finish reason: the
 * model has nothing to add.
 */
export const findFault = (answer: Answer, options: { readonly afterTools: boolean }): AnswerFault | undefined => {
  if (answer.calls.length > 0) return undefined
  const reason = answer.finishReason
  if (reason === undefined && !options.afterTools) return "NO_FINISH_REASON"
  if (reason === "MALFORMED_FUNCTION_CALL" || reason === "UNEXPECTED_TOOL_CALL") return reason
  if (hasText(answer.text)) return undefined
  if (reason === "MAX_TOKENS") return "MAX_TOKENS_EXCEEDED"
  if (reason === "SAFETY" || reason === "IMAGE_SAFETY") return "SAFETY_BLOCKED"
  if (reason === "RECITATION") return "RECITATION_BLOCKED"
  if (reason !== undefined && reason !== "STOP" && reason !== "FINISH_REASON_UNSPECIFIED") return "OTHER_BLOCKED"
  if (answer.sawThought) return "THINKING_ONLY_RESPONSE"
  return options.afterTools ? undefined : "NO_RESPONSE_TEXT"
}

/** Attempts at an answer in all. The settings may allow fewer for any request. */
const MAX_ATTEMPTS = 4

/** An answer that a named filter blocked is blocked again: one more attempt is enough to rule out chance. */
export const maxAttemptsFor = (fault: AnswerFault, { finishReason }: Pick<Answer, "finishReason">): number => {
  const isFiltered =
    fault === "SAFETY_BLOCKED" ||
    fault === "RECITATION_BLOCKED" ||
    (fault === "OTHER_BLOCKED" && finishReason !== "OTHER")
  return isFiltered ? 2 : MAX_ATTEMPTS
}

/** For people. */
export const describeFault = (fault: AnswerFault, answer: Answer): string => {
  const said = answer.finishMessage === undefined ? "" : ` (${answer.finishMessage})`
  return `${FAULT_TEXT[fault]}${said}`
}

/** What the model is told before it tries again, where telling helps. */
const retryNote = (fault: AnswerFault): string | undefined => {
  if (fault === "THINKING_ONLY_RESPONSE") {
    return "[System note: your previous attempt held only thoughts. Answer now, or call a tool.]"
  }
  return fault === "NO_RESPONSE_TEXT"
    ? "[System note: your previous attempt was empty. Answer now, or call a tool.]"
    : undefined
}

const FAULT_TEXT: Readonly<Record<AnswerFault, string>> = {
  NO_FINISH_REASON: "the model's answer broke off without a finish reason",
  MALFORMED_FUNCTION_CALL: "the model asked for a tool in a form that cannot be read",
  UNEXPECTED_TOOL_CALL: "the model asked for a tool that it was not offered",
  MAX_TOKENS_EXCEEDED: "the model used all of its output tokens before it wrote anything",
  SAFETY_BLOCKED: "the answer was blocked by a safety filter",
  RECITATION_BLOCKED: "the answer was blocked because it repeated its sources",
  OTHER_BLOCKED: "the service blocked the request or its answer",
  THINKING_ONLY_RESPONSE: "the model thought but wrote no answer",
  NO_RESPONSE_TEXT: "the model gave an empty answer"
}

const INVISIBLE = /[\u200b-\u200f\ufeff]/g
const COMMENT = /<!--[\s\S]*?-->/g

/** The first character that shows; nearly always it decides. */
const VISIBLE = /[^\s\u200b-\u200f\ufeff]/

const hasText = (text: string): boolean => {
  const [first] = VISIBLE.exec(text) ?? []
  if (first !== "<") return first !== undefined
  let rest = text.replace(INVISIBLE, "")
  for (let before = ""; before !== rest; ) {
    before = rest
    rest = rest.replace(COMMENT, "")
  }
  return rest.trim() !== ""
}

export const runTurn = Effect.fn("Chat.turn")(function* (request: TurnRequest, emit: Emit) {
  const silence = new SilenceBudget()
  let attempt = 0
  let note: string | undefined
  /** Why the last answer cannot be used. */
  let reason = ""
  const once = Effect.gen(function* () {
    attempt += 1
    const systemInstruction = [request.systemInstruction, ...(note === undefined ? [] : [note])].join("\n\n")
    const isRetry = attempt > 1
    const reconfigured = (model: string) => request.configFor({ isRetry, model })
    const asked = { ...request, ...request.configFor({ isRetry }), reconfigured, systemInstruction, silence }
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
