/** Whatever is asked for: path, query, headers and body are those that the official SDK would send. */
import { describe, expect, test } from "bun:test"
import { GoogleGenAI } from "@google/genai/node"
import { Effect, FastCheck as fc, Redacted } from "effect"
import { OAuth2Client } from "google-auth-library"
import * as Flow from "../../kernel/flow.ts"
import type { Content, Part } from "../../protocol/content.ts"
import { PromptId } from "../../protocol/ids.ts"
import type { Http } from "../../system/http/http.ts"
import type { GenerationConfig, ModelRequest } from "../model-client.ts"
import type { GeminiPlan } from "./endpoint.ts"
import { make, makeWith } from "./gemini-client.ts"

const TOKEN = "ya29.token"
const key = { key: Redacted.make("k"), mechanism: "x-goog-api-key" } as const
const apiKey = (baseUrl?: URL): GeminiPlan => ({ _tag: "ApiKey", authType: "gemini-api-key", ...key, baseUrl })
const express = (baseUrl?: URL): GeminiPlan => ({ _tag: "VertexExpress", authType: "vertex-ai", ...key, baseUrl })
const vertex = (location: string, baseUrl?: URL): GeminiPlan => ({
  _tag: "Vertex",
  authType: "vertex-ai",
  project: "my-project",
  location,
  baseUrl,
  quotaProject: undefined,
  credentialsFile: undefined
})
const gateway = new URL("https://gateway.test/sub")

const plans: ReadonlyArray<readonly [name: string, plan: GeminiPlan]> = [
  ["Gemini API", apiKey()],
  ["a gateway", { ...key, _tag: "Gateway", authType: "gateway", baseUrl: gateway }],
  ["Vertex AI express", express()],
  ["Vertex AI express elsewhere", express(gateway)],
  ...["global", "us", "eu", "europe-west4"].map((place) => [`Vertex AI in ${place}`, vertex(place)] as const),
  ["Vertex AI elsewhere", vertex("us", gateway)]
]

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

type Form = "stream" | "whole"

const readSent = (url: string | URL, init: RequestInit): Sent => {
  const headers = new Headers(init.headers)
  // Who asks: we are not the SDK.
  for (const name of ["user-agent", "x-goog-api-client"]) headers.delete(name)
  const { body } = init
  return {
    url: String(url),
    headers: headers.toJSON(),
    body: JSON.parse(body instanceof Uint8Array ? Buffer.from(body).toString() : String(body))
  }
}

const identity = { version: "1.0.0", platform: "linux", arch: "x64", osVersion: "6" }

const sentByUs = async (plan: GeminiPlan, request: ModelRequest, form: Form): Promise<Sent | "refused"> => {
  let sent: Sent | undefined
  const http: Http["Type"] = {
    proxyFor: () => undefined,
    certificates: async () => undefined,
    exchange: async (url, init) => {
      sent = readSent(url, init as RequestInit)
      return new Response("{}")
    }
  }
  const options = { identity, variables: {}, http }
  const client =
    plan._tag === "Vertex"
      ? makeWith(plan, options, {
          authType: plan.authType,
          headers: () => Effect.succeed([["authorization", `Bearer ${TOKEN}`]]),
          secrets: []
        })
      : make(plan, options)
  await Effect.runPromise(
    Effect.ignore(form === "stream" ? Flow.runDrain(client.stream(request)) : client.generate(request))
  )
  return sent ?? "refused"
}

const sentBySdk = async (plan: GeminiPlan, request: ModelRequest, form: Form): Promise<Sent | "refused"> => {
  let sent: Sent | undefined
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    sent = readSent(String(url), init)
    return new Response("{}", { headers: { "content-type": "application/json" } })
  }
  const { baseUrl } = plan
  const sdk = new GoogleGenAI({
    vertexai: plan.authType === "vertex-ai",
    httpOptions: { fetch, ...(baseUrl === undefined ? {} : { baseUrl: baseUrl.href }) },
    ...(plan._tag === "Vertex"
      ? { project: plan.project, location: plan.location, googleAuthOptions: { authClient: signedIn() as never } }
      : { apiKey: Redacted.value(plan.key) })
  })
  // It changes what it is given.
  const { config, contents, model, systemInstruction } = structuredClone(request)
  const params = {
    model: model.replace(/^models\//, ""),
    contents: contents.map((content) => content as object),
    config: {
      ...config,
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false
    }
  }
  await (form === "stream" ? sdk.models.generateContentStream(params) : sdk.models.generateContent(params)).catch(
    () => undefined
  )
  return sent ?? "refused"
}

/** Of our own library: the SDK brings one of another version, whose clients look the same to it. */
const signedIn = () => {
  const client = new OAuth2Client()
  client.setCredentials({ access_token: TOKEN, expiry_date: Date.now() + 3_600_000 })
  return client
}

const anyText = fc.string({ unit: "grapheme" })
const anyRecord = fc.dictionary(fc.constantFrom("a", "b", "ü"), fc.jsonValue())
const optional = <A extends object>(fields: { [K in keyof A]: fc.Arbitrary<A[K]> }) =>
  fc.record(fields, { requiredKeys: [] })

const anyPart: fc.Arbitrary<Part> = fc.oneof(
  anyText.map((text) => ({ text })),
  fc.record({ text: anyText, thought: fc.boolean(), thoughtSignature: fc.base64String() }),
  fc.record({ functionCall: fc.record({ id: anyText, name: anyText, args: anyRecord }) }),
  fc.record({
    functionResponse: fc.record({
      name: anyText,
      response: anyRecord,
      parts: fc.array(fc.record({ inlineData: fc.record({ mimeType: anyText, data: fc.base64String() }) }))
    })
  }),
  fc.record({ inlineData: fc.record({ mimeType: anyText, data: fc.base64String() }) }),
  fc.record({ fileData: fc.record({ mimeType: anyText, fileUri: fc.webUrl() }) })
)
const anyContent: fc.Arbitrary<Content> = fc.record({
  role: fc.constantFrom("user", "model"),
  parts: fc.array(anyPart, { minLength: 1, maxLength: 3 })
})

const typeName = fc.constantFrom("string", "number", "integer", "boolean", "array", "object", "OBJECT", "any")
const { schema: anySchema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    optional({ type: typeName, description: anyText, format: anyText, nullable: fc.boolean() }),
    fc.record({ type: fc.constant("string"), enum: fc.array(anyText), default: fc.constantFrom(null, "x") }),
    fc.record({
      type: fc.oneof(
        fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 }),
        fc.uniqueArray(typeName, { minLength: 1, maxLength: 2 }).map((names) => [...names, "null"])
      )
    }),
    fc.record({ type: fc.constant("array"), items: tie("schema"), minItems: fc.nat() }),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(fc.constantFrom("a", "b", "type"), tie("schema")),
        required: fc.array(anyText),
        additionalProperties: fc.boolean()
      },
      { requiredKeys: ["type"] }
    ),
    fc.record({ anyOf: fc.array(tie("schema"), { maxLength: 3 }) }),
    fc.tuple(tie("schema"), fc.boolean(), fc.boolean()).map(([schema, isFirst, isMore]) => {
      const list = isFirst ? [{ type: "null" }, schema] : [schema, { type: "null" }]
      return { anyOf: isMore ? [...list, { type: "string" }] : list, title: "t" }
    })
  )
}))
const jsonSchema = anySchema.map((schema) => ({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }))

const declaration = fc.oneof(
  fc.record({ name: anyText, description: anyText, parametersJsonSchema: anySchema }),
  fc.record({ name: anyText, parameters: fc.oneof(anySchema, jsonSchema) }),
  fc.record({ name: anyText, parameters: jsonSchema, response: fc.oneof(anySchema, jsonSchema) }),
  fc.record({ name: anyText, behavior: fc.constant("BLOCKING"), responseJsonSchema: anySchema })
)
const anyTool = fc.oneof(
  fc.record({ functionDeclarations: fc.array(declaration, { maxLength: 3 }) }),
  fc.record({ googleSearch: optional({ searchTypes: fc.constant({ webSearch: {} }) }) }),
  fc.constantFrom<object>({ codeExecution: {} }, { urlContext: {} }, { googleMaps: { enableWidget: true } }),
  fc.record({ googleSearchRetrieval: fc.record({ dynamicRetrievalConfig: anyRecord }) })
)

const common = {
  temperature: fc.double({ noNaN: true, noDefaultInfinity: true }),
  topP: fc.constantFrom(0, 0.95, null),
  topK: fc.nat(),
  candidateCount: fc.nat(),
  maxOutputTokens: fc.nat(),
  stopSequences: fc.array(anyText),
  responseLogprobs: fc.boolean(),
  logprobs: fc.nat(),
  presencePenalty: fc.constant(0.5),
  frequencyPenalty: fc.constant(-0.5),
  seed: fc.integer(),
  responseMimeType: fc.constantFrom("text/plain", "application/json"),
  responseSchema: anySchema,
  responseJsonSchema: anySchema,
  responseModalities: fc.subarray(["TEXT", "IMAGE", "AUDIO"]),
  mediaResolution: fc.constant("MEDIA_RESOLUTION_LOW"),
  speechConfig: fc.constantFrom<unknown>("Kore", { languageCode: "de-DE" }),
  thinkingConfig: optional({
    includeThoughts: fc.boolean(),
    thinkingBudget: fc.integer({ min: -1 }),
    thinkingLevel: fc.constantFrom("LOW", "HIGH")
  }),
  imageConfig: optional({ aspectRatio: fc.constant("1:1"), imageSize: fc.constant("2K") }),
  systemInstruction: fc.oneof<Array<fc.Arbitrary<unknown>>>(
    fc.string({ minLength: 1 }),
    anyContent,
    anyPart,
    fc.array(fc.oneof<Array<fc.Arbitrary<unknown>>>(anyPart, anyText), { minLength: 1 })
  ),
  tools: fc.array(anyTool, { maxLength: 3 }),
  toolConfig: optional({
    functionCallingConfig: optional({
      mode: fc.constantFrom("AUTO", "ANY", "NONE", "VALIDATED"),
      allowedFunctionNames: fc.array(anyText)
    }),
    retrievalConfig: optional({ languageCode: anyText })
  }),
  safetySettings: fc.array(
    fc.record({ category: fc.constant("HARM_CATEGORY_HARASSMENT"), threshold: fc.constantFrom("OFF", "BLOCK_NONE") })
  ),
  labels: fc.dictionary(fc.constantFrom("team", "cost"), anyText),
  serviceTier: fc.constantFrom("flex", "priority"),
  continuationToken: anyText,
  unknownField: fc.boolean(),
  httpOptions: optional({
    headers: fc.dictionary(fc.constantFrom("x-team", "x-trace"), fc.constantFrom("a", "b c")),
    timeout: fc.integer({ min: 1, max: 1_000_000 }),
    extraBody: fc.constantFrom<object>({ generationConfig: { newSetting: { x: 1 } } }, { newField: [1] })
  })
}
const ofGemini = { store: fc.boolean(), enableEnhancedCivicAnswers: fc.boolean() }
const onlyVertex = {
  audioTimestamp: fc.boolean(),
  routingConfig: fc.constant({ autoMode: { modelRoutingPreference: "BALANCED" } }),
  modelSelectionConfig: fc.constant({ featureSelectionPreference: "BALANCED" }),
  modelArmorConfig: fc.constant({ promptTemplateName: "t" }),
  generationOutputConfig: anyRecord
}
const ofVertex = {
  ...onlyVertex,
  imageConfig: optional({
    outputMimeType: fc.constant("image/png"),
    outputCompressionQuality: fc.nat(),
    personGeneration: fc.constant("ALLOW_ALL")
  })
}
/** Without a project the SDK names a cache of the project "undefined". */
const cacheNames = ({ _tag }: GeminiPlan) =>
  _tag === "VertexExpress" ? ["projects/p/locations/l/cachedContents/1"] : ["1", "cachedContents/1", "projects/p/x/1"]

const anyConfig = (plan: GeminiPlan): fc.Arbitrary<GenerationConfig> => {
  const fields: Record<string, fc.Arbitrary<unknown>> = {
    ...common,
    ...(plan.authType === "vertex-ai" ? ofVertex : ofGemini),
    cachedContent: fc.constantFrom(...cacheNames(plan))
  }
  return fc.record(fields, { requiredKeys: [] })
}

const MODELS = [
  "m",
  "models/m",
  "tunedModels/t-1",
  "publishers/google/models/m@001",
  "meta/llama",
  "projects/q/endpoints/1"
]

const anyRequest = (plan: GeminiPlan): fc.Arbitrary<ModelRequest> =>
  fc
    .record({
      model: fc.constantFrom(...MODELS),
      contents: fc.array(anyContent, { minLength: 1, maxLength: 4 }),
      systemInstruction: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
      config: anyConfig(plan)
    })
    .map(({ systemInstruction, ...request }) => ({
      ...request,
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      role: "main",
      promptId: PromptId.make("s########1")
    }))

describe.each(plans)("%s", (_, plan) => {
  test("any request is sent as the SDK sends it", async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest(plan), fc.constantFrom<Array<Form>>("stream", "whole"), async (request, form) => {
        const before = JSON.stringify(request)
        const ours = await sentByUs(plan, request, form)
        expect(JSON.stringify(request)).toBe(before)
        expect(ours).not.toBe("refused")
        expect(ours).toEqual(await sentBySdk(plan, request, form))
      }),
      { numRuns: 150 }
    )
  })

  test("what only the other API knows is refused", async () => {
    for (const [name, arbitrary] of Object.entries(plan.authType === "vertex-ai" ? ofGemini : onlyVertex)) {
      const [request] = fc.sample(anyRequest(plan), 1)
      const refused = { ...request, config: { [name]: fc.sample<unknown>(arbitrary, 1)[0] } } as ModelRequest
      expect([name, await sentBySdk(plan, refused, "whole")]).toEqual([name, "refused"])
      expect([name, await sentByUs(plan, refused, "whole")]).toEqual([name, "refused"])
    }
  })
})
