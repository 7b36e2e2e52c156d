/**
 * The network: the only place of the program that calls `fetch`. One rule for all traffic decides about the proxy and the
 * certificates, whatever variables the runtime itself would look at. Redirects are never followed by the runtime, which
 * would carry keys to other hosts (`redirects.ts`), and every wait has a bound.
 */

import { Context, Duration, Effect, Option, type Scope } from "effect"
import { messageOf } from "../../kernel/cause-chain.ts"
import { lazy } from "../../kernel/lazy.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { HttpError, placeOf } from "./http-error.ts"
import type { Send } from "./ipv4-first.ts"
import { proxyFor } from "./proxy.ts"

/** How the net is reached in this run. */
export interface Network {
  /** Of the run, `.env` files included: they name the proxy. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** `NODE_EXTRA_CA_CERTS`, where it comes from a `.env` file: the runtime reads only that of the process itself. */
  readonly extraCertificates?: string | undefined
  /** A name is reached by its IPv4 address where it has one. */
  readonly ipv4First?: boolean
}

/** One request as the runtime takes it. */
export type Exchange = Omit<BunFetchRequestInit, "redirect" | "proxy" | "tls">

export class Http extends Context.Tag("agent/system/Http")<
  Http,
  {
    /** One request and its answer, whatever the status. For foreign code; everything else has bounds (`open`). */
    readonly exchange: (url: URL, request: Exchange) => Promise<Response>
    /** The proxy that the request would go through. */
    readonly proxyFor: (url: URL) => string | undefined
    /** Everything that is trusted (PEM); `undefined`: what the runtime trusts. */
    readonly certificates: () => Promise<ReadonlyArray<string> | undefined>
  }
>() {}

export type HttpClient = Http["Type"]

export const make = ({ extraCertificates, ipv4First = false, variables }: Network): HttpClient => {
  let read: ReturnType<HttpClient["certificates"]> | undefined
  const certificates = () => (read ??= certificatesIn(extraCertificates))
  return {
    certificates,
    proxyFor: (url) => proxyFor(url, variables),
    exchange: async (url, request) => {
      const proxy = proxyFor(url, variables)
      const ca = extraCertificates === undefined || url.protocol !== "https:" ? undefined : await certificates()
      const send: Send = (place, asked, serverName) =>
        fetch(place, {
          // Silence is bounded by whoever reads.
          timeout: false,
          ...asked,
          redirect: "manual",
          proxy: proxy === undefined ? false : { url: proxy, respectNoProxy: false },
          ...(ca === undefined && serverName === undefined
            ? {}
            : {
                tls: {
                  ...(ca === undefined ? {} : { ca: [...ca] }),
                  ...(serverName === undefined ? {} : { serverName })
                }
              })
        })
      // A proxy looks the name up itself.
      if (!ipv4First || proxy !== undefined) return send(url, request)
      return (await import("./ipv4-first.ts")).overIpv4(url, request, send)
    }
  }
}

const certificatesIn = async (file: string | undefined) =>
  file === undefined ? undefined : (await import("./trusted-certificates.ts")).trustedCertificates(file)

export type RequestHeaders = NonNullable<RequestInit["headers"]>

export interface HttpRequest {
  readonly url: URL
  readonly method?: string | undefined
  /** They stay with the host that they are meant for. */
  readonly headers?: RequestHeaders | undefined
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob | undefined
}

/** After that it is looked into what takes so long. */
const SOON = Duration.seconds(4)

/** One request; redirects are answers. The connection belongs to the scope: closing it ends it, wherever it stands. */
export const open = Effect.fnUntraced(function* (
  http: HttpClient,
  request: HttpRequest,
  /** The longest wait for the status line and the headers. */
  answerWithin: Duration.Duration
): Effect.fn.Return<Response, HttpError, Scope.Scope> {
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (owned) => Effect.sync(() => owned.abort())
  )
  const { body, headers = {}, method = "GET", url } = request
  const askedAt = yield* monotonicMillis
  const asked = http.exchange(url, { method, headers, signal, ...(body === undefined ? {} : { body }) })
  const answer = Effect.tryPromise({
    try: () => asked,
    catch: (cause) => new HttpError({ kind: "network", url: placeOf(url), detail: messageOf(cause), cause })
  })
  const soon = yield* Effect.timeoutOption(answer, Duration.min(SOON, answerWithin))
  if (Option.isSome(soon)) return soon.value
  const { waitFor } = yield* lazy(() => import("./slow-answer.ts"))
  return yield* waitFor(answer, { http, url, askedAt, answerWithin })
})
