/**
 * The model over the network: Gemini API, gateways that speak it, and Vertex AI. They differ in their address and in
 * the headers that authenticate; everything else is this one client.
 */
import { DateTime, Duration, Effect, Either, Redacted, Schema, Stream } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import { badResponse } from "../retry/classify.ts"
import { ModelError } from "../retry/model-error.ts"
import { readChunks, readText } from "./answer-body.ts"
import { ContentsJson } from "./contents-json.ts"
import { decodeChunks } from "./decode-chunk.ts"
import { endpointFor } from "./endpoint.ts"
import { placeFailure } from "./failure-place.ts"
import type { ClientOptions } from "./load-client.ts"
import type { ModelClient, ModelEvent, ModelRequest } from "./model-client.ts"
import { requestHeaders } from "./request-headers.ts"
import { send, type WireRequest } from "./transport.ts"
import { encodeCountTokens, encodeEmbed, encodeGenerate } from "./wire-request.live.ts"

const HEADERS_WITHIN = Duration.seconds(60)
const BODY_GAP = Duration.seconds(300)

/** `credentials` are asked before every request; only Vertex AI with Google credentials needs them. */
export const make = (
  plan: AuthPlan,
  options: ClientOptions,
  credentials: (model: string) => Effect.Effect<ReadonlyArray<readonly [string, string]>, ModelError> = () =>
    Effect.succeed(keyHeaders(plan))
): ModelClient["Type"] => {
  const json = new ContentsJson()
  const endpoint = (model: string) => endpointFor(plan, model, options.variables.GOOGLE_GENAI_API_VERSION)

  const open = Effect.fnUntraced(function* (wire: WireRequest, model: string, headersWithin: Duration.Duration) {
    const added = [...(yield* credentials(model)), ...requestHeaders({ ...options, model })]
    yield* Effect.forEach(added, ([name, value]) => setHeader(wire, name, value, model), { discard: true })
    return yield* send(wire, { ...options, model, headersWithin, gap: BODY_GAP })
  })

  /** An answer in one piece: its headers come when the model is done, so the long limit holds for them too. */
  const ask = Effect.fnUntraced(function* (wire: WireRequest, model: string) {
    const response = yield* open(wire, model, BODY_GAP)
    return yield* readText(response, { model, gap: BODY_GAP })
  }, Effect.scoped)

  const openStream = Effect.fn("ModelClient.stream")(function* (request: ModelRequest) {
    const wire = yield* encodeGenerate(request, endpoint(request.model), { form: "stream", json })
    const response = yield* open(wire, request.model, HEADERS_WITHIN)
    return Stream.map(
      readChunks(response, { model: request.model, gap: BODY_GAP }),
      (chunk): ModelEvent => ({ _tag: "Chunk", chunk })
    )
  })

  const placed = placeFailure({
    baseUrl: endpoint("").baseUrl,
    authType: plan.authType,
    secrets: secretsOf(plan)
  })

  return {
    stream: (request) => Stream.mapError(Stream.unwrapScoped(openStream(request)), placed),

    generate: Effect.fn("ModelClient.generate")(function* (request) {
      const wire = yield* encodeGenerate(request, endpoint(request.model), { form: "whole", json })
      const text = yield* ask(wire, request.model)
      const context = { model: request.model, phase: "open", now: yield* DateTime.now } as const
      const [chunk] = yield* decodeChunks(text, context)
      return chunk ?? (yield* badResponse(text, context))
    }, Effect.mapError(placed)),

    countTokens: Effect.fn("ModelClient.countTokens")(function* (request) {
      const text = yield* ask(yield* encodeCountTokens(request, endpoint(request.model)), request.model)
      return (yield* decodeAnswer(TokenCount, text, request.model)).totalTokens
    }, Effect.mapError(placed)),

    embed: Effect.fn("ModelClient.embed")(function* (request) {
      const text = yield* ask(yield* encodeEmbed(request, endpoint(request.model)), request.model)
      const answer = yield* decodeAnswer(Embeddings, text, request.model)
      if ("predictions" in answer) return answer.predictions.map(({ embeddings }) => embeddings.values)
      return ("embeddings" in answer ? answer.embeddings : [answer.embedding]).map(({ values }) => values)
    }, Effect.mapError(placed))
  }
}

/** A key with characters that HTTP cannot carry was not copied whole, and no server would know it. */
const setHeader = (wire: WireRequest, name: string, value: string, model: string) =>
  Effect.try({
    try: () => wire.headers.set(name, value),
    catch: () =>
      new ModelError({
        kind: "auth",
        detail: `the value of ${name} contains characters that a header cannot carry`,
        model,
        phase: "open",
        errorType: "INVALID_HEADER"
      })
  })

const secretsOf = (plan: AuthPlan) =>
  plan._tag === "Vertex" ? [] : [{ name: "API_KEY", value: Redacted.value(plan.key) }]

const keyHeaders = (plan: AuthPlan): ReadonlyArray<readonly [string, string]> => {
  if (plan._tag === "Vertex") return []
  const key = Redacted.value(plan.key)
  return [
    ["x-goog-api-key", key],
    ...(plan.mechanism === "bearer" ? [["Authorization", `Bearer ${key}`] as const] : [])
  ]
}

const TokenCount = Schema.parseJson(Schema.Struct({ totalTokens: Schema.Number }))

const Vector = Schema.Struct({ values: Schema.Array(Schema.Number) })
/** Gemini API, Vertex AI's `embedContent`, Vertex AI's `predict`. */
const Embeddings = Schema.parseJson(
  Schema.Union(
    Schema.Struct({ embeddings: Schema.Array(Vector) }),
    Schema.Struct({ embedding: Vector }),
    Schema.Struct({ predictions: Schema.Array(Schema.Struct({ embeddings: Vector })) })
  )
)

const decodeAnswer = <A, I>(schema: Schema.Schema<A, I>, text: string, model: string): Either.Either<A, ModelError> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema)(text), () => badResponse(text, { model, phase: "open" }))
