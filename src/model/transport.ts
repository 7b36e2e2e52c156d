/**
 * Sends one request over HTTP and gives back a response whose status promises an answer; every other outcome is a
 * `ModelError`. Redirects are not followed: they would carry the key to another host.
 */
import { DateTime, Duration, Effect, type Scope } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { classifyFailure, classifyRefusal } from "../retry/classify.ts"
import { ModelError } from "../retry/model-error.ts"
import { type HttpClient, open } from "../system/http/http.ts"
import type { HttpError } from "../system/http/http-error.ts"
import { httpSpan } from "../telemetry/telemetry.ts"
import { type BodyOptions, readText, tooSilent } from "./answer-body.ts"

export interface WireRequest {
  readonly url: string
  /** Absent: POST. A GET has no body. */
  readonly method?: "GET" | undefined
  readonly headers: Headers
  /** Asked when the request is sent. */
  readonly body: () => string | Uint8Array<ArrayBuffer>
}

export interface TransportOptions extends BodyOptions {
  readonly http: HttpClient
}

const MAX_REFUSAL_BYTES = 1024 * 1024

/** The connection belongs to the scope: closing it ends the request, wherever it stands. */
export const send = Effect.fnUntraced(function* (
  request: WireRequest,
  options: TransportOptions
): Effect.fn.Return<Response, ModelError, Scope.Scope> {
  const { headers, method = "POST" } = request
  const asked = { url: new URL(request.url), method, headers, ...(method === "GET" ? {} : { body: request.body() }) }
  const { budget, limits } = options.silence
  const left = budget.left(limits)
  if (left <= 0) return yield* tooSilent(options, "open")
  const within = Duration.min(limits.opening, Duration.millis(left))
  const began = yield* monotonicMillis
  const counted = Effect.map(monotonicMillis, (now) => budget.waited(now - began))
  const response = yield* open(options.http, asked, within).pipe(
    Effect.tap(counted),
    Effect.catchAll((error) =>
      error.kind === "timeout"
        ? Effect.flatMap(counted, () =>
            budget.left(limits) > 0 ? noHeaders(options, within) : tooSilent(options, "open")
          )
        : Effect.flatMap(counted, () => Effect.fail(failureOf(error, request, options)))
    ),
    httpSpan(method, request.url)
  )
  if (response.ok) return response
  budget.answered()
  return yield* refusal(response, options)
})

/** A connection that could not be made has no error of the runtime: it is ours, and has a code like the others. */
const failureOf = ({ cause, kind, message }: HttpError, { url }: WireRequest, { http, model }: TransportOptions) => {
  const proxy = http.proxyFor(new URL(url))
  const context = { phase: "open", model, proxy: proxy === undefined ? undefined : URL.parse(proxy)?.host } as const
  return classifyFailure(
    kind === "unreachable" ? { code: "UND_ERR_CONNECT_TIMEOUT", message } : (cause ?? message),
    context
  )
}

const refusal = Effect.fnUntraced(function* (response: Response, options: TransportOptions) {
  const location = response.headers.get("location")
  if (response.status < 400 && location !== null) {
    return yield* new ModelError({
      kind: "bad-response",
      detail: `the server sends us elsewhere instead of answering: ${location}`,
      status: response.status,
      model: options.model,
      phase: "open",
      errorType: `HTTP_${response.status}`
    })
  }
  // The status alone decides where the text cannot be had.
  const body = yield* Effect.orElseSucceed(readText(response, { ...options, maxBytes: MAX_REFUSAL_BYTES }), () => "")
  return yield* classifyRefusal({
    status: response.status,
    body,
    retryAfter: response.headers.get("retry-after") ?? undefined,
    now: yield* DateTime.now,
    phase: "open",
    model: options.model
  })
})

const noHeaders = ({ model }: TransportOptions, within: Duration.Duration): ModelError =>
  new ModelError({
    kind: "timeout",
    detail: `the server did not begin to answer within ${Duration.format(within)}`,
    model,
    phase: "open",
    errorType: "UND_ERR_HEADERS_TIMEOUT"
  })
