/**
 * A listener on this machine, for the person at it and nobody else. Any page in a browser can send requests here, and
 * with a name of its own that leads to this machine it could read the answers: so a request counts only under our own
 * names, by GET, and where a page of its own was opened for it.
 */

import { Effect, type Scope } from "effect"
import { messageOf } from "../../kernel/cause-chain.ts"

export interface LocalServerOptions {
  /** 0: a free one. */
  readonly port: number
  /** Where it listens; this machine alone, unless somebody asks for more. */
  readonly host?: string | undefined
  /** Under which it is known elsewhere, as in a `Host` header: the other end of a tunnel. */
  readonly otherHosts?: (port: number) => ReadonlyArray<string>
  readonly answer: (url: URL) => Response
}

const OWN_NAMES = ["localhost", "127.0.0.1", "[::1]"]

/** Gives the port. Fails with a reason. The answers that are on their way when the scope ends still arrive. */
export const serveLocally = ({
  answer,
  host = "localhost",
  otherHosts = () => [],
  port: wanted
}: LocalServerOptions): Effect.Effect<number, string, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () =>
        Bun.serve({
          hostname: host,
          port: wanted,
          // Nobody has anything to send.
          maxRequestBodySize: 0,
          fetch: (request, { port = wanted }) => {
            const hosts = [...OWN_NAMES.map((name) => `${name}:${port}`), ...otherHosts(port)]
            const response = refusalOf(request, hosts) ?? answer(new URL(request.url))
            for (const [name, value] of Object.entries(SHUT)) response.headers.set(name, value)
            return response
          },
          error: () => new Response("refused", { status: 400, headers: SHUT })
        }),
      catch: (error) => `no listener on port ${wanted}: ${messageOf(error)}`
    }),
    (running) => Effect.promise(() => running.stop())
  ).pipe(Effect.map(({ port = wanted }) => port))

/** What a browser may do with an answer: show it. It is not kept, not framed, and tells no other page of its address. */
const SHUT = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

const refusalOf = ({ headers, method }: Request, hosts: ReadonlyArray<string>): Response | undefined => {
  const host = headers.get("host")?.toLowerCase()
  if (host === undefined || !hosts.includes(host)) return new Response("wrong host", { status: 421 })
  if (method !== "GET") return new Response("only GET", { status: 405, headers: { allow: "GET" } })
  // A page that was opened has no origin, and browsers say what a request is for.
  const isBrowser = headers.has("sec-fetch-site")
  const isOpened = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document"
  return headers.has("origin") || (isBrowser && !isOpened) ? new Response("refused", { status: 403 }) : undefined
}
