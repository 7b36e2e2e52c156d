/**
 * What an editor is told of the end: a request that cannot be carried out as JSON-RPC says it (a code, a line for
 * people, facts for programs), and of a prompt why it stopped.
 */

import type { StopReason } from "@agentclientprotocol/sdk"
import { Either, Schema } from "effect"
import type { ChatError } from "../chat/chat-error.ts"
import type { PromptError } from "../prompt/prompt-error.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { describeModelError } from "../retry/describe.ts"

export class EditorFault extends Schema.TaggedError<EditorFault>()("EditorFault", {
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optional(Schema.Unknown)
}) {}

/** Codes of JSON-RPC and of the protocol that are given by us. */
export const FAULT = {
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  signIn: -32000,
  notFound: -32002,
  cancelled: -32800
} as const

export const invalidParams = (message: string, details: unknown = message) =>
  new EditorFault({ code: FAULT.invalidParams, message, data: { details } })

export const sessionNotFound = (sessionId: string, code: number = FAULT.invalidParams) =>
  new EditorFault({ code, message: `Session not found: ${sessionId}`, data: { sessionId } })

/**
 * How a prompt ended, as an editor is told: a stop reason, or a fault where the model could not be asked. Pure.
 * By the reason that the model gave for its last stop.
 */
export const stopReasonOf = (finishReason: string | undefined): StopReason => {
  if (finishReason === "MAX_TOKENS") return "max_tokens"
  return finishReason !== undefined && REFUSALS.has(finishReason) ? "refusal" : "end_turn"
}

const REFUSALS = new Set(["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"])

const BLOCKED = new Set(["SAFETY_BLOCKED", "RECITATION_BLOCKED", "OTHER_BLOCKED"])

export const endOfFailure = (error: ChatError | PromptError): Either.Either<StopReason, EditorFault> => {
  switch (error._tag) {
    case "LimitReached":
    case "LoopDetected":
      return Either.right("max_turn_requests")
    case "ContextOverflow":
      return Either.right("max_tokens")
    case "InvalidAnswer":
      if (BLOCKED.has(error.kind)) return Either.right("refusal")
      return Either.right(error.kind === "MAX_TOKENS_EXCEEDED" ? "max_tokens" : "end_turn")
    case "ModelError": {
      const { hint } = describeModelError(error)
      return Either.left(
        new EditorFault({
          code: error.status ?? FAULT.internal,
          message: error.detail,
          data: { status: error.statusName ?? error.errorType, details: hint ?? error.message }
        })
      )
    }
    default:
      return Either.left(
        new EditorFault({ code: FAULT.internal, message: error.message, data: { details: error.message } })
      )
  }
}

/** What a prompt took, summed up by model. */
interface PromptUse {
  readonly byModel: ReadonlyMap<string, TokenCount>
}

interface TokenCount {
  readonly input_tokens: number
  readonly output_tokens: number
}

export const noUse: PromptUse = { byModel: new Map() }

export const addUse = (use: PromptUse, event: ProtocolEvent): PromptUse => {
  if ((event._tag !== "RequestFinished" && event._tag !== "RequestFailed") || event.usage === undefined) return use
  const { byModel } = use
  const { model, usage } = event
  const before = byModel.get(model)
  return {
    byModel: new Map(byModel).set(model, {
      input_tokens: (before?.input_tokens ?? 0) + usage.promptTokenCount,
      output_tokens: (before?.output_tokens ?? 0) + usage.candidatesTokenCount
    })
  }
}

export const quotaOf = ({ byModel }: PromptUse) => {
  const counts = [...byModel.values()]
  const sum = (key: keyof TokenCount) => counts.reduce((total, count) => total + count[key], 0)
  return {
    quota: {
      token_count: { input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens") },
      model_usage: [...byModel].map(([model, token_count]) => ({ model, token_count }))
    }
  }
}
