/**
 * Gemini API, gateways that speak it, and Vertex AI. They differ in their address and in the headers that authenticate;
 * everything else is this one client.
 */
import { Effect, Redacted } from "effect"
import { makeBodyParser } from "../answer-body.ts"
import type { BackendAuth, Framing } from "../backend.ts"
import { type Ask, makeClient, type RareCalls } from "../backend-client.ts"
import { decodeChunks } from "../decode-chunk.ts"
import type { ClientOptions } from "../load-client.ts"
import type { ModelClient } from "../model-client.ts"
import { endpointFor, type GeminiEndpoint, type GeminiPlan } from "./endpoint.ts"
import { generateProtocol } from "./generate-request.ts"

type KeyPlan = Exclude<GeminiPlan, { readonly _tag: "Vertex" }>

export const make = (plan: KeyPlan, options: ClientOptions): ModelClient["Type"] =>
  makeWith(plan, options, keyAuth(plan))

/** Vertex AI with Google credentials brings its own `auth`. */
export const makeWith = (plan: GeminiPlan, options: ClientOptions, auth: BackendAuth): ModelClient["Type"] => {
  const endpoint = endpointFor(plan, options.variables.GOOGLE_GENAI_API_VERSION)
  const backend = { protocol: generateProtocol(endpoint), endpoint, auth, framing }
  return makeClient(backend, options, (ask) => sdkCalls(endpoint, ask))
}

const framing: Framing = { parser: makeBodyParser, document: decodeChunks }

export const keyAuth = ({ authType, key, mechanism }: KeyPlan): BackendAuth => {
  const value = Redacted.value(key)
  const bearer = mechanism === "bearer" ? [["Authorization", `Bearer ${value}`] as const] : []
  return {
    authType,
    headers: () => Effect.succeed([["x-goog-api-key", value], ...bearer]),
    secrets: [{ name: "API_KEY", value }]
  }
}

/** The SDK is loaded when something is asked of it, once. */
const sdkCalls = (endpoint: GeminiEndpoint, ask: Ask): RareCalls => {
  let made: Promise<RareCalls> | undefined
  const calls = Effect.promise(() => {
    made ??= import("./sdk-calls.live.ts").then(({ make }) => make(endpoint, ask))
    return made
  })
  return {
    countTokens: (request) => Effect.flatMap(calls, ({ countTokens }) => countTokens(request)),
    embed: (request) => Effect.flatMap(calls, ({ embed }) => embed(request))
  }
}
