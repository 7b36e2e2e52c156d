/**
 * What is asked for rarely goes through the official SDK: tokens are counted, texts embedded, models listed. It writes the requests and
 * reads the answers. The addresses and the sending are ours, so that proxies, limits and refusals are the same for all.
 */
import { type Content, GoogleGenAI, type HttpOptions, type Model, type Models } from "@google/genai/web"
import { Cause, Effect, Exit, Runtime } from "effect"
import { badResponse } from "../../retry/classify.ts"
import { ModelError } from "../../retry/model-error.ts"
import type { Ask, RareCalls } from "../backend-client.ts"
import { isJson } from "../decode-chunk.ts"
import type { ListedModel } from "../known-models.ts"
import type { WireRequest } from "../transport.ts"
import type { GeminiEndpoint } from "./endpoint.ts"
import { invalidRequest } from "./generate-request.ts"

/** The SDK insists on both; address and key are put in place when the request is sent. */
const NO_PLACE = "https://endpoint.invalid"
const NO_KEY = "unset"

const callsThrough = (endpoint: GeminiEndpoint, ask: Ask) => {
  const { models } = new GoogleGenAI({
    apiKey: NO_KEY,
    vertexai: endpoint.api === "vertex",
    httpOptions: { baseUrl: NO_PLACE, apiVersion: "" }
  })

  /** What the SDK makes of the answer; `undefined` there: the text says something else than was asked for. */
  return Effect.fnUntraced(function* <A>(
    model: string,
    use: (models: Models, httpOptions: HttpOptions) => Promise<A | undefined>
  ) {
    const run = Runtime.runPromiseExit(yield* Effect.runtime())
    let text = ""
    const answer = yield* Effect.tryPromise({
      try: (signal) =>
        use(models, {
          fetch: async (url, init) => {
            const exit = await run(ask(wireOf(endpoint, String(url), init), model), { signal })
            if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
            text = exit.value
            if (!isJson(text)) throw badResponse(text, { model, phase: "open" })
            return new Response(text, { headers: { "content-type": "application/json" } })
          }
        }),
      catch: (cause) =>
        cause instanceof ModelError
          ? cause
          : invalidRequest(cause instanceof Error ? cause.message : String(cause), model)
    })
    return answer ?? (yield* badResponse(text, { model, phase: "open" }))
  })
}

export const make = (endpoint: GeminiEndpoint, ask: Ask): RareCalls => {
  const call = callsThrough(endpoint, ask)
  return {
    countTokens: ({ contents, model }) =>
      call(model, async (sdk, httpOptions) => {
        const answer = await sdk.countTokens({
          model: plainName(model),
          contents: contents.map(asSdkContent),
          config: { httpOptions }
        })
        return answer.totalTokens
      }),
    embed: ({ model, texts }) =>
      call(model, async (sdk, httpOptions) => {
        const answer = await sdk.embedContent({
          model: plainName(model),
          contents: [...texts],
          config: { httpOptions }
        })
        return answer.embeddings?.map(({ values }) => values ?? [])
      })
  }
}

/** No list that is honest is longer. */
const MAX_PAGES = 50

/** The models that the service offers and that answer prompts; of Vertex AI those that publishers offer. */
export const listModels = (endpoint: GeminiEndpoint, ask: Ask) =>
  callsThrough(endpoint, ask)("models", async (sdk, httpOptions) => {
    const pager = await sdk.list({ config: { queryBase: true, pageSize: 1000, httpOptions } })
    const listed = pager.page.flatMap(listedModel)
    for (let page = 1; page < MAX_PAGES && pager.hasNextPage(); page++) {
      listed.push(...(await pager.nextPage()).flatMap(listedModel))
    }
    return listed
  })

/** Where the service names what a model can be asked for, it is to be an answer. */
const listedModel = ({
  inputTokenLimit,
  name,
  outputTokenLimit,
  supportedActions
}: Model): ReadonlyArray<ListedModel> =>
  name === undefined || supportedActions?.includes("generateContent") === false
    ? []
    : [{ id: name.replace(/^.*models\//, ""), window: inputTokenLimit, maxOutput: outputTokenLimit }]

const wireOf = (endpoint: GeminiEndpoint, url: string, init: RequestInit | undefined): WireRequest => {
  const headers = new Headers(init?.headers)
  headers.delete("x-goog-api-key")
  return {
    url: endpoint.url(url.slice(NO_PLACE.length + 1)),
    headers,
    ...(init?.method === "GET" ? { method: init.method } : {}),
    body: () => String(init?.body ?? "")
  }
}

const plainName = (model: string): string => model.replace(/^models\//, "")

/** Contents are in the shape of the API, which the SDK's types describe as one that may be written to. */
const asSdkContent = (content: unknown): Content => content as Content
