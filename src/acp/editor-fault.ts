/** A request of an editor that cannot be carried out, as JSON-RPC says it: a code, a line for people, facts for programs. */
import { Schema } from "effect"

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
