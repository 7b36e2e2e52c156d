/**
 * The model behind one contract: Gemini API, Vertex AI and canned answers are layers of it, retry and recording are
 * decorators. Chunks are decoded at the border of each layer; nothing above sees an SDK type.
 */
import { Context, type Effect, Schema } from "effect"
import type * as Flow from "../kernel/flow.ts"
import { type Content, Part } from "../protocol/content.ts"
import type { PromptId } from "../protocol/ids.ts"
import { type RequestRole, UsageMetadata } from "../protocol/usage.ts"
import type { ModelError } from "../retry/model-error.ts"
import type { SilenceBudget } from "../retry/silence-budget.ts"
import type { VertexRouting } from "./request-headers.ts"

const Citations = Schema.Array(
  Schema.Struct({ uri: Schema.optional(Schema.String), title: Schema.optional(Schema.String) })
)

/** One answer, or one chunk of a streamed one. Fields that we do not name are kept, so that recordings lose nothing. */
export const ModelChunk = Schema.Struct({
  candidates: Schema.optional(
    Schema.Array(
      Schema.Struct({
        content: Schema.optional(
          Schema.Struct({ role: Schema.optional(Schema.String), parts: Schema.optional(Schema.Array(Part)) })
        ),
        finishReason: Schema.optional(Schema.String),
        finishMessage: Schema.optional(Schema.String),
        citationMetadata: Schema.optional(
          Schema.Struct({
            citations: Schema.optional(Citations),
            /** What the Gemini API calls them on the wire; renamed when a chunk is decoded. */
            citationSources: Schema.optional(Citations)
          })
        ),
        groundingMetadata: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
      })
    )
  ),
  promptFeedback: Schema.optional(
    Schema.Struct({ blockReason: Schema.optional(Schema.String), blockReasonMessage: Schema.optional(Schema.String) })
  ),
  usageMetadata: Schema.optional(UsageMetadata),
  modelVersion: Schema.optional(Schema.String),
  responseId: Schema.optional(Schema.String),
  /** Of the account: what this answer cost, and what is left then. */
  paidCredits: Schema.optional(Schema.Struct({ consumed: Schema.Number, remaining: Schema.optional(Schema.Number) }))
})
export type ModelChunk = typeof ModelChunk.Type

/** From a recording. */
export const unpaid = (chunk: ModelChunk): ModelChunk =>
  chunk.usageMetadata === undefined ? chunk : { ...chunk, usageMetadata: { ...chunk.usageMetadata, isReplayed: true } }

/** Fields of the API's generation config, tools and tool config included, passed through as they are. */
export type GenerationConfig = { readonly [key: string]: unknown }

export interface ModelRequest {
  readonly model: string
  readonly contents: ReadonlyArray<Content>
  readonly systemInstruction?: string
  readonly config: GenerationConfig
  readonly role: RequestRole
  readonly promptId: PromptId
  /** Attempts to open the request, where fewer than usual are worth it. */
  readonly maxAttempts?: number | undefined
  /** How Vertex AI shall route this one, whatever the settings say. */
  readonly routing?: VertexRouting | undefined
  /** Shared by all attempts at one answer; absent: the request has one to itself. */
  readonly silence?: SilenceBudget | undefined
}

/** Decorators tell of waits and of other models in the stream itself, so that whoever shows the answer can show them. */
export type ModelEvent =
  | { readonly _tag: "Chunk"; readonly chunk: ModelChunk }
  | {
      readonly _tag: "RetryScheduled"
      readonly error: ModelError
      readonly attempt: number
      readonly maxAttempts: number
      readonly delayMs: number
    }
  /** A request failed, and somebody may be asked what to do about it: the answer, which can take long, comes next. */
  | { readonly _tag: "GivenUp"; readonly error: ModelError }
  /** What follows comes from another model. Without an error: the first one had been given up in an earlier request. */
  | {
      readonly _tag: "ModelReplaced"
      readonly from: string
      readonly to: string
      readonly error: ModelError | undefined
    }

export class ModelClient extends Context.Tag("agent/model/ModelClient")<
  ModelClient,
  {
    /** Interrupting the consumer closes the connection. */
    readonly stream: (request: ModelRequest) => Flow.Flow<ModelEvent, ModelError>
    readonly generate: (request: ModelRequest) => Effect.Effect<ModelChunk, ModelError>
    readonly countTokens: (request: Pick<ModelRequest, "model" | "contents">) => Effect.Effect<number, ModelError>
    readonly embed: (request: {
      readonly model: string
      readonly texts: ReadonlyArray<string>
    }) => Effect.Effect<ReadonlyArray<ReadonlyArray<number>>, ModelError>
  }
>() {}
