/**
 * Sends one request over HTTP and gives back a response whose status promises an answer; every other outcome is a
 * `ModelError`. Redirects are not followed: they would carry the key to another host.
 */
import { DateTime, Duration, Effect, type Scope } from "effect"
import { proxyFor } from "../kernel/proxy.ts"
import { classifyFailure, classifyRefusal } from "../retry/classify.ts"
import { ModelError } from "../retry/model-error.ts"
import { httpSpan } from "../telemetry/http-span.ts"
import { type BodyOptions, readText } from "./answer-body.ts"

export interface WireRequest {
  readonly url: string
  readonly headers: Headers
  /** Asked when the request is sent. */
  readonly body: () => string | Uint8Array<ArrayBuffer>
}

export interface TransportOptions extends BodyOptions {
  /** The longest wait for the status line and the headers. */
  readonly headersWithin: Duration.Duration
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Certificates to trust, where they are not the runtime's own (PEM). */
  readonly certificates?: ReadonlyArray<string> | undefined
}

/** The connection belongs to the scope: closing it ends the request, wherever it stands. */
export const send = Effect.fnUntraced(function* (
  request: WireRequest,
  options: TransportOptions
): Effect.fn.Return<Response, ModelError, Scope.Scope> {
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (owned) => Effect.sync(() => owned.abort())
  )
  const response = yield* Effect.tryPromise({
    try: () => fetch(request.url, fetchOptions(request, controller.signal, options)),
    catch: (cause) => classifyFailure(cause, { phase: "open", model: options.model })
  }).pipe(
    Effect.timeoutFail({ duration: options.headersWithin, onTimeout: () => noHeaders(options) }),
    httpSpan("POST", request.url)
  )
  if (response.ok) return response
  return yield* refusal(response, options)
})

const fetchOptions = (request: WireRequest, signal: AbortSignal, options: TransportOptions): BunFetchRequestInit => {
  const proxy = proxyFor(new URL(request.url), options.variables)
  return {
    method: "POST",
    headers: request.headers,
    body: request.body(),
    signal,
    redirect: "manual",
    ...(proxy === undefined ? {} : { proxy }),
    ...(options.certificates === undefined ? {} : { tls: { ca: [...options.certificates] } })
  }
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
  const body = yield* Effect.orElseSucceed(readText(response, options), () => "")
  return yield* classifyRefusal({
    status: response.status,
    body,
    retryAfter: response.headers.get("retry-after") ?? undefined,
    now: yield* DateTime.now,
    phase: "open",
    model: options.model
  })
})

const noHeaders = ({ headersWithin, model }: TransportOptions): ModelError =>
  new ModelError({
    kind: "timeout",
    detail: `the server did not begin to answer within ${Duration.format(headersWithin)}`,
    model,
    phase: "open",
    errorType: "UND_ERR_HEADERS_TIMEOUT"
  })
