/**
 * A service that generates, as four values: what is said to it, where, by whom, and how its answer is cut into chunks.
 * Another service is a folder that holds its own four; the client (`backend-client.ts`) is the same for all.
 */
import type { DateTime, Effect, Either } from "effect"
import type { Secret } from "../kernel/redact-secrets.ts"
import type { AuthType } from "../protocol/modes.ts"
import type { ModelError } from "../retry/model-error.ts"
import type { BodyParser } from "./answer-body.ts"
import type { DecodeContext } from "./decode-chunk.ts"
import type { ModelChunk, ModelRequest } from "./model-client.ts"

export interface Backend {
  readonly protocol: Protocol
  readonly endpoint: Endpoint
  readonly auth: BackendAuth
  readonly framing: Framing
}

export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>

/** What is said. A request that the service is known to refuse is refused here. */
export type Protocol = (
  request: ModelRequest,
  /** The answer comes in chunks, or whole. */
  form: "stream" | "whole"
) => Either.Either<EncodedRequest, ModelError>

/** All but the address, the credentials, and the conversation, which is kept as bytes (`contents-json.ts`). */
export interface EncodedRequest {
  /** Below the endpoint, with its query. */
  readonly path: string
  readonly headers: HeaderList
  /** The JSON text that stands before the list of contents, and behind it. */
  readonly before: string
  readonly after: string
}

/** Where. */
export interface Endpoint {
  /** How failures name it. */
  readonly baseUrl: string
  readonly url: (path: string) => string
}

/** By whom: asked before every request. */
export interface BackendAuth {
  readonly authType: AuthType
  readonly headers: (model: string) => Effect.Effect<HeaderList, ModelError>
  /** Others, after the server did not accept those; absent: there are no others. Asked once for a request. */
  readonly renewed?: (model: string) => Effect.Effect<HeaderList, ModelError>
  /** What must not show in a message. */
  readonly secrets: ReadonlyArray<Secret>
}

/** How an answer is cut into chunks. */
export interface Framing {
  /** A streamed body, as its text arrives. */
  readonly parser: (context: { readonly model: string; readonly now: DateTime.Utc }) => BodyParser
  /** A body in one piece. */
  readonly document: (text: string, context: DecodeContext) => Either.Either<ReadonlyArray<ModelChunk>, ModelError>
}
