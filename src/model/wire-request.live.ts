/**
 * Requests as the official SDK writes them: it knows the paths, and how the fields of a configuration are spelled on
 * each API. It is used as an encoder only, through a `fetch` that keeps what it is given and sends nothing. The sending
 * and the reading are ours, because the SDK drops fields that it does not know (citations among them), hides the
 * headers of a refusal, and searches a growing buffer again for every piece that arrives.
 *
 * The conversation itself does not pass through it: contents are in the shape of the API already, may hold parts of
 * newer kinds, and grow with every turn.
 */
import { type GenerateContentConfig, GoogleGenAI, type Models } from "@google/genai/web"
import { Effect, Predicate } from "effect"
import { ModelError } from "../retry/model-error.ts"
import type { ContentsJson } from "./contents-json.ts"
import type { Endpoint } from "./endpoint.ts"
import type { ModelRequest } from "./model-client.ts"
import type { WireRequest } from "./transport.ts"

/** Stands where the SDK insists on a key; the real one is added when the request is sent. */
const NO_KEY = "unset"
const NO_CONTENTS = [{ role: "user", parts: [{ text: "" }] }]

export const encodeGenerate = (
  request: ModelRequest,
  endpoint: Endpoint,
  { form, json }: { readonly form: "stream" | "whole"; readonly json: ContentsJson }
): Effect.Effect<WireRequest, ModelError> =>
  Effect.map(
    encode(request, endpoint, (models) => {
      const params = { model: resourceOf(request.model), contents: NO_CONTENTS, config: configOf(request) }
      return form === "stream" ? models.generateContentStream(params) : models.generateContent(params)
    }),
    ({ frame, ...wire }) => ({
      ...wire,
      body: () => json.write(request.contents, { before: BEFORE_CONTENTS, after: afterContents(frame) })
    })
  )

export const encodeCountTokens = (
  request: Pick<ModelRequest, "model" | "contents">,
  endpoint: Endpoint
): Effect.Effect<WireRequest, ModelError> =>
  Effect.map(
    encode(request, endpoint, (models) =>
      models.countTokens({ model: resourceOf(request.model), contents: NO_CONTENTS })
    ),
    ({ frame, ...wire }) => ({
      ...wire,
      body: () => `${BEFORE_CONTENTS}${JSON.stringify(request.contents)}${afterContents(frame)}`
    })
  )

export const encodeEmbed = (
  request: { readonly model: string; readonly texts: ReadonlyArray<string> },
  endpoint: Endpoint
): Effect.Effect<WireRequest, ModelError> =>
  Effect.map(
    encode(request, endpoint, (models) =>
      models.embedContent({ model: resourceOf(request.model), contents: [...request.texts] })
    ),
    ({ frame, ...wire }) => ({ ...wire, body: () => frame })
  )

/** `frame`: the body as the SDK wrote it. */
interface Captured extends Omit<WireRequest, "body"> {
  readonly frame: string
}

const encode = (
  request: { readonly model: string },
  endpoint: Endpoint,
  call: (models: Models) => Promise<unknown>
): Effect.Effect<Captured, ModelError> =>
  Effect.tryPromise({
    try: async () => {
      let captured: Captured | undefined
      const keep = async (url: string | URL | Request, init?: RequestInit) => {
        captured = { url: String(url), headers: new Headers(init?.headers), frame: String(init?.body ?? "") }
        return new Response("{}", { headers: { "content-type": "application/json" } })
      }
      await call(sdk(endpoint, keep).models)
      if (captured === undefined) throw new Error("the SDK wrote no request")
      captured.headers.delete("x-goog-api-key")
      return captured
    },
    catch: (cause) =>
      new ModelError({
        kind: "bad-request",
        detail: `the request cannot be made: ${Predicate.isError(cause) ? cause.message : String(cause)}`,
        model: request.model,
        phase: "open",
        errorType: "INVALID_REQUEST",
        cause
      })
  })

const sdk = (
  { apiVersion, baseUrl, isVertex }: Endpoint,
  fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
) => new GoogleGenAI({ apiKey: NO_KEY, vertexai: isVertex, httpOptions: { baseUrl, apiVersion, fetch } })

const resourceOf = (model: string): string => model.replace(/^models\//, "")

const configOf = ({ config, systemInstruction }: ModelRequest): GenerateContentConfig => {
  // Of the SDK, not of the API: a preset, which may come with a project, would choose who gets the prompt and the key.
  const { abortSignal: _signal, httpOptions: _options, ...fields } = config as GenerateContentConfig
  return {
    // The settings' own fields: their names and values are the API's business, and it reports what it does not accept.
    ...fields,
    ...(systemInstruction === undefined || systemInstruction === "" ? {} : { systemInstruction }),
    // No calls behind our back: neither tools run by the SDK nor answers continued by it.
    automaticFunctionCalling: { disable: true },
    automaticContinuation: false
  }
}

const BEFORE_CONTENTS = '{"contents":'

/** The SDK wrote an object, and a placeholder among its fields. */
const afterContents = (frame: string): string => {
  const rest = JSON.stringify({ ...(JSON.parse(frame) as object), contents: undefined })
  return rest === "{}" ? "}" : `,${rest.slice(1)}`
}
