/** One GET request for a page, without redirects, its body bounded: to a judged address, or through a proxy. */
import { Duration, Effect } from "effect"
import { readBytes } from "../../system/http/body.ts"
import { type HttpClient, open } from "../../system/http/http.ts"
import type { HttpError } from "../../system/http/http-error.ts"
import { askPinned, type PinnedAnswer } from "../../system/http/pinned-request.ts"
import { httpSpan } from "../../telemetry/http-span.ts"
import { WebError } from "./web-error.ts"

const MAX_BYTES = 10 * 1024 * 1024
const USER_AGENT = "Mozilla/5.0 (compatible; gemini-fx)"
const ANSWER_WITHIN = Duration.seconds(10)

const headersFor = (accept: string) => ({ "User-Agent": USER_AGENT, Accept: accept, "Accept-Encoding": "gzip" })

export const requestDirectly = (
  http: HttpClient,
  url: URL,
  addresses: ReadonlyArray<string>,
  accept: string
): Effect.Effect<PinnedAnswer, WebError> =>
  bounded(url, askPinned(http, { url, addresses, headers: headersFor(accept), maxBytes: MAX_BYTES }))

/** The proxy looks the name up, and connects to what it finds. */
export const requestThroughProxy = (
  http: HttpClient,
  url: URL,
  accept: string
): Effect.Effect<PinnedAnswer, WebError> =>
  bounded(
    url,
    Effect.gen(function* () {
      const response = yield* open(http, { url, headers: headersFor(accept) }, ANSWER_WITHIN)
      const body = yield* readBytes(response, url, { maxBytes: MAX_BYTES, gap: ANSWER_WITHIN })
      return { status: response.status, headers: Object.fromEntries(response.headers), body }
    }).pipe(Effect.scoped)
  )

const bounded = (url: URL, request: Effect.Effect<PinnedAnswer, HttpError>) =>
  request.pipe(
    Effect.mapError((error) => webError(url, error)),
    Effect.timeoutFail({
      duration: ANSWER_WITHIN,
      onTimeout: () => new WebError({ kind: "timeout", url: url.href, detail: "no complete answer within 10 seconds" })
    }),
    httpSpan("GET", url)
  )

const webError = (url: URL, { detail, kind }: HttpError): WebError => {
  if (kind !== "too-large") return new WebError({ kind: kind === "timeout" ? kind : "network", url: url.href, detail })
  return new WebError({ kind, url: url.href, detail: `${detail}: at most 10 MB are read` })
}
