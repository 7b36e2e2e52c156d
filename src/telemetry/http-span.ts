/** A request over HTTP as a span of its own, in the words of OpenTelemetry. Off, the request is left alone. */
import { Effect } from "effect"
import { Telemetry } from "./telemetry.ts"

/** What stands behind the path of an address is not told: it may hold a key. */
export const httpSpan =
  (method: "GET" | "POST", address: string | URL) =>
  <A extends { readonly status: number }, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Telemetry, ({ level }) => {
      if (level === undefined) return request
      const { hostname, origin, pathname, port, protocol } = new URL(address)
      return request.pipe(
        Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
        Effect.withSpan(method, {
          kind: "client",
          attributes: {
            "http.request.method": method,
            "server.address": hostname,
            "server.port": port === "" ? (protocol === "http:" ? 80 : 443) : Number(port),
            "url.full": `${origin}${pathname}`
          }
        })
      )
    })
