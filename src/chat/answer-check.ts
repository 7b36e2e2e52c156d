/** Whether an answer can be used, and what to tell the person when it cannot. */
import type { Answer } from "./answer.ts"

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
export const MAX_ATTEMPTS = 4

/** An answer that a named filter blocked is blocked again: one more attempt is enough to rule out chance. */
export const maxAttemptsFor = (fault: AnswerFault, { finishReason }: Pick<Answer, "finishReason">): number => {
  const isFiltered =
    fault === "SAFETY_BLOCKED" ||
    fault === "RECITATION_BLOCKED" ||
    (fault === "OTHER_BLOCKED" && finishReason !== "OTHER")
  return isFiltered ? 2 : MAX_ATTEMPTS
}

export const describeFault = (fault: AnswerFault, answer: Answer): string => {
  const said = answer.finishMessage === undefined ? "" : ` (${answer.finishMessage})`
  return `${FAULT_TEXT[fault]}${said}`
}

/** What the model is told before it tries again, where telling helps. */
export const retryNote = (fault: AnswerFault): string | undefined => {
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
