/**
 * The model over the network: the same client for every service (`backend.ts`). The sending and the reading are ours,
 * because the official SDK drops fields that it does not know (citations among them), hides the headers of a refusal, and
 * searches a growing buffer again for every piece that arrives.
 */
import { DateTime, Effect, Option } from "effect"
import * as Flow from "../kernel/flow.ts"
import { redactSecrets, type Secret } from "../kernel/redact-secrets.ts"
import type { AuthType } from "../protocol/modes.ts"
import { badResponse } from "../retry/classify.ts"
import { ModelError, type ModelErrorKind } from "../retry/model-error.ts"
import { FLEX_SILENCE, SilenceBudget, USUAL_SILENCE, wholeOf } from "../retry/silence-budget.ts"
import { type BodySilence, readChunks, readText } from "./answer-body.ts"
import type { Backend } from "./backend.ts"
import { ContentsJson } from "./contents-json.ts"
import type { ClientOptions } from "./load-client.ts"
import type { ModelClient, ModelEvent, ModelRequest } from "./model-client.ts"
import { requestHeaders, type VertexRouting } from "./request-headers.ts"
import { send, type WireRequest } from "./transport.ts"

/** One request, and the text that answers it. */
export type Ask = (request: WireRequest, model: string) => Effect.Effect<string, ModelError>
/** What is not asked for in every turn: a service writes and reads it in its own way. */
export type RareCalls = Pick<ModelClient["Type"], "countTokens" | "embed">

/** How a service is asked: what every request to it has in common. */
const requesterFor = ({ auth, endpoint }: Pick<Backend, "auth" | "endpoint">, options: ClientOptions) => {
  const { openingWithin = USUAL_SILENCE.opening } = options
  const usual = { ...USUAL_SILENCE, opening: openingWithin }

  const silenceOf = ({ config, routing, silence }: Asked): BodySilence => ({
    budget: silence ?? new SilenceBudget(),
    limits: isFlexible(config, routing ?? options.vertexRouting) ? FLEX_SILENCE : usual
  })

  const open = Effect.fnUntraced(function* (wire: WireRequest, { model, routing }: Asked, silence: BodySilence) {
    const vertexRouting = routing ?? options.vertexRouting
    const added = [...(yield* auth.headers(model)), ...requestHeaders({ ...options, model, vertexRouting })]
    yield* Effect.forEach(added, ([name, value]) => setHeader(wire, name, value, model), { discard: true })
    const sent = send(wire, { ...options, model, silence })
    const { renewed } = auth
    if (renewed === undefined) return yield* sent
    return yield* Effect.catchIf(
      sent,
      ({ status }) => status === 401,
      () =>
        Effect.gen(function* () {
          yield* Effect.forEach(yield* renewed(model), ([name, value]) => setHeader(wire, name, value, model))
          return yield* sent
        })
    )
  })

  /** Its headers come when the model is done. */
  const askWhole = Effect.fnUntraced(function* (wire: WireRequest, asked: Asked) {
    const { budget, limits } = silenceOf(asked)
    const silence = { budget, limits: wholeOf(limits) }
    return yield* readText(yield* open(wire, asked, silence), { model: asked.model, silence })
  }, Effect.scoped)

  return {
    silenceOf,
    open,
    askWhole,
    placed: placeFailure({ baseUrl: endpoint.baseUrl, authType: auth.authType, secrets: auth.secrets })
  }
}

/** Asks a service for something that is no answer of a model: its list of models, say. */
export const askerFor = (backend: Pick<Backend, "auth" | "endpoint">, options: ClientOptions): Ask => {
  const { askWhole, placed } = requesterFor(backend, options)
  return (wire, model) => Effect.mapError(askWhole(wire, { model, config: {} }), placed)
}

/** When the service thinks it is, from an answer that nobody reads; `undefined`: it does not say. */
export const dateFor = (
  backend: Pick<Backend, "auth" | "endpoint">,
  options: ClientOptions
): ((wire: WireRequest, model: string) => Effect.Effect<number | undefined, ModelError>) => {
  const { open, placed, silenceOf } = requesterFor(backend, options)
  return (wire, model) => {
    const asked = { model, config: {} }
    return Effect.scoped(open(wire, asked, silenceOf(asked))).pipe(
      Effect.map(({ headers }) => Option.getOrUndefined(DateTime.make(headers.get("date") ?? ""))?.epochMillis),
      Effect.mapError(placed)
    )
  }
}

export const makeClient = (
  { auth, endpoint, framing, protocol }: Backend,
  options: ClientOptions,
  rareCalls: (ask: Ask) => RareCalls
): ModelClient["Type"] => {
  const json = new ContentsJson()
  const { askWhole, open, placed, silenceOf } = requesterFor({ auth, endpoint }, options)

  const wireOf = Effect.fnUntraced(function* (request: ModelRequest, form: "stream" | "whole") {
    const { headers, path, ...around } = yield* protocol(request, form)
    const wire: WireRequest = {
      url: endpoint.url(path),
      headers: new Headers(),
      body: () => json.write(request.contents, around)
    }
    yield* Effect.forEach(headers, ([name, value]) => setHeader(wire, name, value, request.model), { discard: true })
    return wire
  })

  const openStream = Effect.fn("ModelClient.stream")(function* (request: ModelRequest) {
    const wire = yield* wireOf(request, "stream")
    const silence = silenceOf(request)
    const response = yield* open(wire, request, silence)
    return Flow.map(
      readChunks(response, { model: request.model, silence, framing }),
      (chunk): ModelEvent => ({ _tag: "Chunk", chunk })
    )
  })

  const rare = rareCalls((wire, model) => askWhole(wire, { model, config: {} }))

  return {
    stream: (request) => Flow.mapError(Flow.unwrapScoped(openStream(request)), placed),

    generate: Effect.fn("ModelClient.generate")(function* (request) {
      const text = yield* askWhole(yield* wireOf(request, "whole"), request)
      const context = { model: request.model, phase: "open", now: yield* DateTime.now } as const
      const [chunk] = yield* framing.document(text, context)
      return chunk ?? (yield* badResponse(text, context))
    }, Effect.mapError(placed)),

    countTokens: (request) =>
      Effect.mapError(Effect.withSpan(rare.countTokens(request), "ModelClient.countTokens"), placed),
    embed: (request) => Effect.mapError(Effect.withSpan(rare.embed(request), "ModelClient.embed"), placed)
  }
}

type Asked = Pick<ModelRequest, "model" | "config" | "routing" | "silence">

const isFlexible = ({ serviceTier }: ModelRequest["config"], routing: VertexRouting | undefined): boolean =>
  routing?.sharedRequestType === "flex" || (typeof serviceTier === "string" && /flex/i.test(serviceTier))

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

/** Where the address is part of the answer to "what went wrong?". */
const PLACED: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  "network",
  "unreachable",
  "timeout",
  "silent",
  "bad-response"
])

/** Completes the failure of a request with what only the client knows: the address, and the key that must not show. */
const placeFailure =
  (place: { readonly baseUrl: string; readonly authType: AuthType; readonly secrets: ReadonlyArray<Secret> }) =>
  (error: ModelError): ModelError => {
    const host = URL.parse(place.baseUrl)?.host ?? place.baseUrl
    const detail = PLACED.has(error.kind) ? `${error.detail}: ${host}` : error.detail
    return new ModelError({ ...error, detail: redactSecrets(detail, place.secrets), authType: place.authType })
  }
