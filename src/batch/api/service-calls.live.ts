/**
 * Calls of the official SDK for what a batch needs: it writes the requests; who we are, the sending and the reading of
 * refusals are ours, so that proxies, limits and messages are the same for all.
 */
import { GoogleGenAI, type GoogleGenAIOptions } from "@google/genai/web"
import { DateTime, Duration, Effect } from "effect"
import { messageOf } from "../../kernel/cause-chain.ts"
import { invalidRequest } from "../../model/gemini/generate-request.ts"
import type { ClientOptions } from "../../model/load-client.ts"
import { requestHeaders } from "../../model/request-headers.ts"
import { badResponse, classifyFailure, classifyRefusal } from "../../retry/classify.ts"
import { ModelError } from "../../retry/model-error.ts"
import { type DoorBounds, type Fetch, fetchThrough } from "../../system/http/fetch-door.ts"
import { HttpError } from "../../system/http/http-error.ts"
import type { CacheContent, CacheService } from "./batch-service.ts"

export interface ServicePlace {
  readonly model: string
  readonly options: ClientOptions
  /** What authenticates a request. */
  readonly headers: Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, ModelError>
  readonly sdk: GoogleGenAIOptions
  /** From the address that the SDK makes to the one that is meant. */
  readonly url: (given: string) => string
}

export interface ServiceCalls {
  /** The answer as it was sent, parsed; the SDK leaves out what it does not know. */
  readonly call: (use: (sdk: GoogleGenAI) => Promise<unknown>) => Effect.Effect<unknown, ModelError>
  /** A request of our own to the same place. */
  readonly ask: (url: string, init?: RequestInit) => Effect.Effect<Response, ModelError>
}

/** An answer may hold all results of a job; an upload goes in pieces. */
const BOUNDS: DoorBounds = { answerWithin: Duration.minutes(5), gap: Duration.minutes(5), maxBytes: 1024 ** 3 }
/** Results are read from the body piece by piece, and written down. */
const FILE_BOUNDS: DoorBounds = { ...BOUNDS, answerWithin: Duration.hours(1), maxBytes: Number.POSITIVE_INFINITY }

export const makeCalls = (place: ServicePlace): ServiceCalls => {
  const { model, options } = place
  const asked = (bounds: DoorBounds, own: ReadonlyArray<readonly [string, string]>, now: DateTime.Utc): Fetch => {
    const door = fetchThrough(options.http, bounds)
    return async (url, init) => {
      const headers = new Headers(init?.headers)
      headers.delete("x-goog-api-key")
      for (const [name, value] of [...requestHeaders({ ...options, model }), ...own]) headers.set(name, value)
      const response = await door(place.url(String(url)), { ...init, headers })
      if (response.ok) return response
      const retryAfter = response.headers.get("retry-after") ?? undefined
      throw classifyRefusal({
        status: response.status,
        body: await response.text(),
        retryAfter,
        now,
        phase: "open",
        model
      })
    }
  }
  const failure = (cause: unknown): ModelError => {
    if (cause instanceof ModelError) return cause
    if (cause instanceof HttpError) {
      return classifyFailure(cause.code === undefined ? (cause.cause ?? cause.message) : cause, {
        phase: "open",
        model
      })
    }
    return cause instanceof SyntaxError || (cause instanceof Error && "code" in cause)
      ? classifyFailure(cause, { phase: "open", model })
      : invalidRequest(messageOf(cause), model)
  }

  return {
    call: Effect.fnUntraced(function* (use) {
      const door = asked(BOUNDS, yield* place.headers, yield* DateTime.now)
      let heard = ""
      yield* Effect.tryPromise({
        try: (signal) =>
          use(
            new GoogleGenAI({
              ...place.sdk,
              httpOptions: {
                ...place.sdk.httpOptions,
                fetch: async (url, init) => {
                  const response = await door(url, { ...init, signal })
                  heard = await response.text()
                  return new Response(heard, { status: response.status, headers: response.headers })
                }
              }
            })
          ),
        catch: failure
      })
      if (heard.trim() === "") return {}
      return yield* Effect.try({
        try: (): unknown => JSON.parse(heard),
        catch: () => badResponse(heard, { model, phase: "open" })
      })
    }),
    ask: Effect.fnUntraced(function* (url, init) {
      const door = asked(FILE_BOUNDS, yield* place.headers, yield* DateTime.now)
      return yield* Effect.tryPromise({ try: (signal) => door(url, { ...init, signal }), catch: failure })
    })
  }
}

/** Context caching, which both services write alike. */
export const cacheCalls = ({ call }: ServiceCalls, model: string): CacheService => {
  const contentsOf = ({ parts }: CacheContent) => [{ role: "user", parts: [...parts] as Array<object> }]
  return {
    tokensOf: (content) =>
      Effect.map(
        call((sdk) => sdk.models.countTokens({ model, contents: contentsOf(content) })),
        (answer) => Number((answer as { readonly totalTokens?: unknown }).totalTokens ?? 0)
      ),
    create: (content) =>
      Effect.flatMap(
        call((sdk) =>
          sdk.caches.create({
            model,
            config: {
              contents: contentsOf(content),
              displayName: content.name,
              ttl: `${content.ttlSeconds}s`,
              ...(content.systemInstruction === "" ? {} : { systemInstruction: content.systemInstruction })
            }
          })
        ),
        (answer) => {
          const { name } = answer as { readonly name?: unknown }
          return typeof name === "string" && name !== ""
            ? Effect.succeed(name)
            : badResponse(JSON.stringify(answer), { model, phase: "open" })
        }
      ),
    extend: (name, ttlSeconds) =>
      Effect.asVoid(call((sdk) => sdk.caches.update({ name, config: { ttl: `${ttlSeconds}s` } }))),
    remove: (name) => Effect.asVoid(call((sdk) => sdk.caches.delete({ name })))
  }
}

/** Writes a body down as it comes; the whole of it, or a failure. */
export const writeBody = (response: Response, path: string, model: string): Effect.Effect<void, ModelError> =>
  Effect.tryPromise({
    try: async () => {
      const sink = Bun.file(path).writer()
      for await (const piece of response.body ?? []) {
        void sink.write(piece)
        await sink.flush()
      }
      await sink.end()
    },
    catch: (cause) => classifyFailure(cause, { phase: "body", model })
  })
