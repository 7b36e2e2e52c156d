/**
 * Fetches public pages for the model, within bounds: of time, of size, of redirects, of requests for each host. Every
 * hop is judged anew, and the connection goes to the address that was judged. Behind a proxy names are judged as far as
 * they resolve here, and the proxy makes the connection.
 */
import { Context, Duration, Effect, Layer, Ref, Schedule } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { readBytes } from "../../system/http/body.ts"
import { Http, type HttpClient, open } from "../../system/http/http.ts"
import type { HttpError } from "../../system/http/http-error.ts"
import { askPinned, type PinnedAnswer } from "../../system/http/pinned-request.ts"
import { isOnTheNet } from "../../system/http/redirects.ts"
import { hostOf, siteOf } from "../../system/http/web-url.ts"
import { httpSpan } from "../../telemetry/telemetry.ts"
import { HostResolver } from "./host-resolver.ts"
import { WebError } from "./web-error.ts"

export interface WebPage {
  /** Where the redirects led. */
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Lower case, without parameters; empty when the server did not say. */
  readonly contentType: string
  readonly body: Uint8Array
}

export class WebClient extends Context.Tag("agent/tools/WebClient")<
  WebClient,
  {
    /** Whether the URL may be fetched; counts as a request to its host. Names without address pass. */
    readonly admit: (url: string) => Effect.Effect<void, WebError>
    /** Any status is an answer. Judges the URL, but does not count it. `onlyHosts`: redirects lead to no others. */
    readonly get: (url: string, accept: string, onlyHosts?: ReadonlyArray<string>) => Effect.Effect<WebPage, WebError>
  }
>() {}

const MAX_REDIRECTS = 10
const HOST_REQUESTS = 10
const HOST_WINDOW_MS = 60_000

const again = Schedule.exponential("300 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(2)))

// One GET request for a page, without redirects, its body bounded: to a judged address, or through a proxy.

const MAX_BYTES = 10 * 1024 * 1024
const USER_AGENT = "Mozilla/5.0 (compatible; gemini-fx)"
const ANSWER_WITHIN = Duration.seconds(10)

const headersFor = (accept: string) => ({ "User-Agent": USER_AGENT, Accept: accept, "Accept-Encoding": "gzip" })

const requestDirectly = (
  http: HttpClient,
  url: URL,
  addresses: ReadonlyArray<string>,
  accept: string
): Effect.Effect<PinnedAnswer, WebError> =>
  bounded(url, askPinned(http, { url, addresses, headers: headersFor(accept), maxBytes: MAX_BYTES }))

/** The proxy looks the name up, and connects to what it finds. */
const requestThroughProxy = (http: HttpClient, url: URL, accept: string): Effect.Effect<PinnedAnswer, WebError> =>
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

export const layer: Layer.Layer<WebClient, never, HostResolver | Http> = Layer.effect(
  WebClient,
  Effect.gen(function* () {
    const resolver = yield* HostResolver
    const http = yield* Http
    const requests = yield* Ref.make<ReadonlyMap<string, ReadonlyArray<number>>>(new Map())

    const hop = Effect.fnUntraced(function* (url: URL, accept: string) {
      const isProxied = http.proxyFor(url) !== undefined
      const addresses = yield* isProxied
        ? resolver.resolve(url).pipe(Effect.catchIf(isUnresolved, () => Effect.succeed([])))
        : resolver.resolve(url)
      const request = isProxied ? requestThroughProxy(http, url, accept) : requestDirectly(http, url, addresses, accept)
      return yield* Effect.retry(request, { schedule: again, while: (error) => error.isRetryable })
    })

    return WebClient.of({
      admit: Effect.fn("WebClient.admit")(function* (text) {
        const url = yield* parse(text)
        const now = yield* monotonicMillis
        yield* resolver.resolve(url).pipe(Effect.catchIf(isUnresolved, () => Effect.void))
        const isAdmitted = yield* Ref.modify(requests, (counts) => countRequest(counts, hostOf(url), now))
        if (isAdmitted) return
        return yield* new WebError({
          kind: "rate-limited",
          url: text,
          detail: `more than ${HOST_REQUESTS} requests to ${hostOf(url)} within a minute; wait before the next one`
        })
      }),
      get: Effect.fn("WebClient.get")(function* (text, accept, onlyHosts) {
        let url = yield* parse(text)
        for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
          if (onlyHosts?.includes(siteOf(hostOf(url))) === false) return yield* elsewhere(text, url)
          const answer = yield* hop(url, accept)
          const target = redirectTarget(answer, url)
          if (target === undefined) return pageOf(url, answer)
          url = yield* parse(target)
        }
        return yield* new WebError({ kind: "redirect", url: text, detail: `more than ${MAX_REDIRECTS} redirects` })
      })
    })
  })
)

/** Whoever allowed the call allowed it for some hosts: the rest is a question of its own. */
const elsewhere = (from: string, { href }: URL) =>
  new WebError({
    kind: "redirect",
    url: from,
    detail: `it leads to another host, ${href}, and that was not followed: fetch it by a call of its own`
  })

const isUnresolved = (error: WebError) => error.kind === "unresolved"

const parse = (text: string): Effect.Effect<URL, WebError> =>
  Effect.suspend(() => {
    const url = URL.parse(text)
    const blocked = (detail: string) => new WebError({ kind: "blocked", url: text, detail })
    if (url === null || !isOnTheNet(url)) return blocked("only http and https addresses are fetched")
    // It would be sent along, and it makes an address look like that of another host.
    if (url.username !== "" || url.password !== "")
      return blocked("an address with a name or a password is not fetched")
    return Effect.succeed(url)
  })

/** A sliding window. Hosts without recent requests are forgotten. */
const countRequest = (
  counts: ReadonlyMap<string, ReadonlyArray<number>>,
  host: string,
  now: number
): readonly [boolean, ReadonlyMap<string, ReadonlyArray<number>>] => {
  const recent = new Map<string, ReadonlyArray<number>>()
  for (const [name, times] of counts) {
    const kept = times.filter((time) => now - time < HOST_WINDOW_MS)
    if (kept.length > 0) recent.set(name, kept)
  }
  const mine = recent.get(host) ?? []
  if (mine.length >= HOST_REQUESTS) return [false, recent]
  return [true, recent.set(host, [...mine, now])]
}

const redirectTarget = (answer: PinnedAnswer, from: URL): string | undefined => {
  const location = answer.headers.location
  if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return undefined
  return URL.parse(location, from.href)?.href ?? location
}

const pageOf = (url: URL, { body, headers, status }: PinnedAnswer): WebPage => ({
  url: url.href,
  status,
  headers,
  contentType: (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
  body
})
