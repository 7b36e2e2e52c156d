/** Servers that send us elsewhere, and answers that never end. */
import { expect } from "bun:test"
import { Effect, Fiber, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import { make } from "../../system/http/http.ts"
import { get, textOf } from "./http-get.ts"

const http = make({ variables: {} })

/** Sends everybody to the address behind `?to=`, and keeps what it was shown. */
const redirecting = Effect.acquireRelease(
  Effect.sync(() => {
    const tokens: Array<string | null> = []
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ headers, url }) => {
        tokens.push(headers.get("authorization"))
        const to = new URL(url).searchParams.get("to")
        return to === null ? new Response("here") : new Response(null, { status: 302, headers: { location: to } })
      }
    })
    return { server, tokens, to: (place: string) => `${server.url}?to=${encodeURIComponent(place)}` }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
)

it.live("a token goes to its own origin only, whoever sends us there", () =>
  Effect.gen(function* () {
    const [one, other] = [yield* redirecting, yield* redirecting]
    const login = { origin: one.server.url.origin, token: "t0ken" }
    const start = one.to(other.to(one.server.url.href))
    expect(yield* textOf(yield* get(start, "*/*", { http, login }), start)).toBe("here")
    expect([one.tokens, other.tokens]).toEqual([["token t0ken", "token t0ken"], [null]])
  })
)

it.live("nobody sends us to a file of this machine, or round and round", () =>
  Effect.gen(function* () {
    const { server, to } = yield* redirecting
    const refusal = (place: string) => Effect.map(Effect.flip(get(place, "*/*", { http })), String)
    expect(yield* refusal(to("file:///etc/passwd"))).toContain(
      "it leads to file:///etc/passwd, which is not on the net"
    )
    expect(yield* refusal(to("http://["))).toContain("it leads to http://[, which is not on the net")
    server.reload({ fetch: () => new Response(null, { status: 301, headers: { location: "/again" } }) })
    expect(yield* refusal(server.url.href)).toContain("more than 10 redirects")
  })
)

it.effect("an answer that does not end is not waited for, and its connection is ended", () =>
  Effect.gen(function* () {
    const left: Array<string> = []
    const body = new ReadableStream({ pull: () => new Promise(() => {}), cancel: () => void left.push("left") })
    const reading = yield* Effect.fork(Effect.flip(textOf(new Response(body), "http://slow.example")))
    yield* TestClock.adjust("30 seconds")
    expect((yield* Fiber.join(reading)).message).toContain("its answer does not end")
    expect(left).toEqual(["left"])
  })
)
