/**
 * Conversation content in the shape of the Gemini API (camel case, as the SDK speaks it).
 *
 * Only the fields that we read are named. Decoders keep unknown fields (`onExcessProperty: "preserve"`), so that a
 * part of a newer kind survives its way through the history and back to the API.
 */
import { Schema } from "effect"

const JsonObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export const FunctionCall = Schema.Struct({
  id: Schema.optional(Schema.String),
  name: Schema.optional(Schema.String),
  args: Schema.optional(JsonObject)
})
export type FunctionCall = typeof FunctionCall.Type

/** Binary data, base64. */
export const Blob = Schema.Struct({
  mimeType: Schema.optional(Schema.String),
  data: Schema.optional(Schema.String)
})

export const FunctionResponse = Schema.Struct({
  id: Schema.optional(Schema.String),
  name: Schema.optional(Schema.String),
  response: Schema.optional(JsonObject),
  /** Media nested in the response; only for models that accept it there. */
  parts: Schema.optional(Schema.Array(JsonObject))
})
export type FunctionResponse = typeof FunctionResponse.Type

export const Part = Schema.Struct({
  text: Schema.optional(Schema.String),
  thought: Schema.optional(Schema.Boolean),
  /** Opaque proof of the model's reasoning; must go back with the part that carried it. */
  thoughtSignature: Schema.optional(Schema.String),
  functionCall: Schema.optional(FunctionCall),
  functionResponse: Schema.optional(FunctionResponse),
  inlineData: Schema.optional(Blob),
  fileData: Schema.optional(
    Schema.Struct({ mimeType: Schema.optional(Schema.String), fileUri: Schema.optional(Schema.String) })
  )
})
export type Part = typeof Part.Type

export const Role = Schema.Literal("user", "model")
export type Role = typeof Role.Type

export const Content = Schema.Struct({
  role: Role,
  parts: Schema.Array(Part)
})
export type Content = typeof Content.Type

export const userText = (text: string): Content => ({ role: "user", parts: [{ text }] })
