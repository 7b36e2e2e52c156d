/**
 * Fetches public pages for the model, within bounds: of time, of size, of redirects, of requests for each host. Every
 * hop is judged anew, and the connection goes to the address that was judged. Behind a proxy names are judged as far as
 * they resolve here, and the proxy makes the connection.
 */
import { Clock, Context, Effect, Layer, Ref, Schedule } from "effect"
import { Environment } from "../../config/environment.ts"
import { proxyFor } from "../../kernel/proxy.ts"
import { HostResolver, hostOf } from "./host-resolver.ts"
import { type HttpAnswer, requestDirectly, requestThroughProxy } from "./http-request.ts"
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
    /** Any status is an answer. Judges the URL, but does not count it. */
    readonly get: (url: string, accept: string) => Effect.Effect<WebPage, WebError>
  }
>() {}

const MAX_REDIRECTS = 10
const REQUEST_TIMEOUT = "10 seconds"
const HOST_REQUESTS = 10
const HOST_WINDOW_MS = 60_000

const again = Schedule.exponential("300 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(2)))

export const layer: Layer.Layer<WebClient, never, HostResolver | Environment> = Layer.effect(
  WebClient,
  Effect.gen(function* () {
    const resolver = yield* HostResolver
    const environment = yield* Environment
    const requests = yield* Ref.make<ReadonlyMap<string, ReadonlyArray<number>>>(new Map())

    const hop = Effect.fnUntraced(function* (url: URL, accept: string) {
      const proxy = proxyFor(url, environment.variables)
      const addresses = yield* proxy === undefined
        ? resolver.resolve(url)
        : resolver.resolve(url).pipe(Effect.catchIf(isUnresolved, () => Effect.succeed([])))
      const request =
        proxy === undefined ? requestDirectly(url, addresses, accept) : requestThroughProxy(url, proxy, accept)
      return yield* request.pipe(
        Effect.timeoutFail({
          duration: REQUEST_TIMEOUT,
          onTimeout: () =>
            new WebError({ kind: "timeout", url: url.href, detail: "no complete answer within 10 seconds" })
        }),
        Effect.retry({ schedule: again, while: (error) => error.isRetryable })
      )
    })

    return WebClient.of({
      admit: Effect.fn("WebClient.admit")(function* (text) {
        const url = yield* parse(text)
        const now = yield* Clock.currentTimeMillis
        yield* resolver.resolve(url).pipe(Effect.catchIf(isUnresolved, () => Effect.void))
        const isAdmitted = yield* Ref.modify(requests, (counts) => countRequest(counts, hostOf(url), now))
        if (isAdmitted) return
        return yield* new WebError({
          kind: "rate-limited",
          url: text,
          detail: `more than ${HOST_REQUESTS} requests to ${hostOf(url)} within a minute; wait before the next one`
        })
      }),
      get: Effect.fn("WebClient.get")(function* (text, accept) {
        let url = yield* parse(text)
        for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
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

const isUnresolved = (error: WebError) => error.kind === "unresolved"

const parse = (text: string): Effect.Effect<URL, WebError> =>
  Effect.suspend(() => {
    const url = URL.parse(text)
    if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return Effect.succeed(url)
    return new WebError({ kind: "blocked", url: text, detail: "only http and https addresses are fetched" })
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

const redirectTarget = (answer: HttpAnswer, from: URL): string | undefined => {
  const location = answer.headers.location
  if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return undefined
  return URL.parse(location, from.href)?.href ?? location
}

const pageOf = (url: URL, { body, headers, status }: HttpAnswer): WebPage => ({
  url: url.href,
  status,
  headers,
  contentType: (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
  body
})
