/** The door to the network: who decides about the proxy, and what bounds a request. Servers run on this machine. */
import { describe, expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { Deferred, Duration, Effect, Fiber, Queue, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import { webServer } from "../../../test/kit/web-room.ts"
import { ask } from "./ask.ts"
import { readText } from "./body.ts"
import { fetchThrough } from "./fetch-door.ts"
import { type HttpClient, make, open } from "./http.ts"
import { canConnect } from "./slow-answer.ts"

const direct = make({ variables: {} })
const SECOND = Duration.seconds(1)
const BOUNDS = { within: Duration.seconds(5), maxBytes: 1024 }

const serving = (handler: (request: Request) => Response | Promise<Response>) =>
  Effect.map(webServer(handler), (port) => new URL(`http://127.0.0.1:${port}/`))

/** Variables of this very process, for the time of a scope. */
const inProcess = (variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
      Object.assign(process.env, variables)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
  )

describe("proxies", () => {
  it.live("the variables of the run count, those of the process do not", () =>
    Effect.gen(function* () {
      const proxy = yield* serving(() => new Response("by proxy"))
      const server = yield* serving(() => new Response("direct"))
      const textBy = (http: HttpClient) => Effect.map(ask(http, { url: server }, BOUNDS), ({ text }) => text)
      const proxied = make({ variables: { HTTPS_PROXY: proxy.href } })
      yield* inProcess({ HTTP_PROXY: proxy.href, http_proxy: proxy.href })
      expect(yield* textBy(direct)).toBe("direct")
      yield* inProcess({ NO_PROXY: "127.0.0.1" })
      expect(yield* textBy(proxied)).toBe("by proxy")
      expect(yield* textBy(make({ variables: { HTTPS_PROXY: proxy.href, NO_PROXY: "127.0.0.1" } }))).toBe("direct")
    })
  )
})

describe("answers", () => {
  it.live("are bounded while they are read: announced, endless and compressed ones", () =>
    Effect.gen(function* () {
      const left = yield* Queue.unbounded<string>()
      const url = yield* serving((request) => {
        const { pathname } = new URL(request.url)
        if (pathname === "/announced") return new Response("x".repeat(4096))
        if (pathname === "/bomb") {
          return new Response(gzipSync(new Uint8Array(1 << 24)), { headers: { "content-encoding": "gzip" } })
        }
        request.signal.addEventListener("abort", () => left.unsafeOffer(pathname))
        return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(512)) }))
      })
      for (const path of ["announced", "endless", "bomb"]) {
        const error = yield* Effect.flip(ask(direct, { url: new URL(path, url) }, BOUNDS))
        expect([path, error.kind, error.detail]).toEqual([path, "too-large", "the answer is larger than 1 KiB"])
      }
      const door = fetchThrough(direct, { maxBytes: 1024 })
      for (const path of ["announced", "endless", "bomb"]) {
        const response = yield* Effect.promise(() => door(new URL(path, url)))
        expect(yield* Effect.promise(() => response.text().catch(String))).toContain("too large")
      }
      // Nobody reads on: a server that never ends is left, each time.
      expect([yield* Queue.take(left), yield* Queue.take(left)]).toEqual(["/endless", "/endless"])
    })
  )

  it.effect("that do not begin are given up, and the server is left", () =>
    Effect.gen(function* () {
      const [came, left] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const url = yield* serving((request) => {
        Deferred.unsafeDone(came, Effect.void)
        request.signal.addEventListener("abort", () => Deferred.unsafeDone(left, Effect.void))
        return new Promise<Response>(() => {})
      })
      const asking = yield* Effect.fork(Effect.flip(Effect.scoped(open(direct, { url }, SECOND))))
      yield* Deferred.await(came)
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(asking)).toMatchObject({
        kind: "timeout",
        detail: `${url.host} did not begin to answer within 1s`
      })
      yield* Deferred.await(left)
    })
  )

  it.effect("that stop are given up", () =>
    Effect.gen(function* () {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
      const bounds = { maxBytes: 9, gap: SECOND }
      const reading = yield* Effect.fork(Effect.flip(readText(new Response(body), new URL("http://a.com"), bounds)))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(reading)).toMatchObject({ kind: "timeout" })
    })
  )

  it.live("that never end are bounded as a whole", () =>
    Effect.gen(function* () {
      const url = yield* serving(
        () =>
          new Response(
            new ReadableStream({
              pull: async (controller) => {
                controller.enqueue(new Uint8Array(1))
                await Bun.sleep(20)
              }
            })
          )
      )
      const within = Duration.millis(300)
      expect(yield* Effect.flip(ask(direct, { url }, { within, maxBytes: 1 << 20 }))).toMatchObject({ kind: "timeout" })
    })
  )
})

describe("for foreign code", () => {
  it.live("redirects are followed without what was meant for the first", () =>
    Effect.gen(function* () {
      const seen: Array<string | null> = []
      const other = yield* serving(({ headers }) => {
        seen.push(headers.get("x-api-key"), headers.get("authorization"))
        return new Response("there")
      })
      const url = yield* serving((request) => {
        const { pathname } = new URL(request.url)
        return pathname === "/round"
          ? Response.redirect("/round")
          : pathname === "/post"
            ? new Response(null, { status: 307, headers: { location: other.href } })
            : Response.redirect(other.href)
      })
      const door = fetchThrough(direct, { maxBytes: 1024 })
      const headers = { "x-api-key": "k", authorization: "Bearer t" }
      const response = yield* Effect.promise(() => door(url, { headers }))
      expect(yield* Effect.promise(() => response.text())).toBe("there")
      expect(seen).toEqual([null, null])
      const failing = (path: string, init: RequestInit) =>
        Effect.promise(() => door(new URL(path, url), init).then(() => "came back", String))
      expect(yield* failing("/round", {})).toContain("more than 5 redirects")
      expect(yield* failing("/post", { method: "POST", body: "secret" })).toContain("it would have what was sent go to")
      expect(seen).toHaveLength(2)
      expect((yield* Effect.promise(() => door(url, { redirect: "manual" }))).status).toBe(302)
    })
  )

  it.live("what does not begin to answer is given up; a signal ends it at once", () =>
    Effect.gen(function* () {
      const url = yield* serving(() => new Promise<Response>(() => {}))
      const slow = fetchThrough(direct, { answerWithin: Duration.millis(50), maxBytes: 1 })
      expect(yield* Effect.promise(() => slow(url).catch((error) => error.kind))).toBe("timeout")
      const patient = fetchThrough(direct, { maxBytes: 1 })
      const stop = new AbortController()
      const asked = patient(url, { signal: stop.signal }).catch((error) => error.name)
      stop.abort()
      expect(yield* Effect.promise(() => asked)).toBe("AbortError")
    })
  )

  it.live("each event of a stream is bounded, however many there are", () =>
    Effect.gen(function* () {
      const url = yield* serving((request) => {
        const line = `data: ${"x".repeat(new URL(request.url).pathname === "/long" ? 1 << 22 : 900)}\n\n`
        return new Response(line.repeat(5), { headers: { "content-type": "text/event-stream" } })
      })
      const door = fetchThrough(direct, { maxBytes: 1024 })
      const textAt = (path: string) =>
        Effect.promise(async () => (await door(new URL(path, url))).text().catch(() => "too large"))
      expect((yield* textAt("/short")).length).toBe(5 * 908)
      expect((yield* textAt("/long")).length).toBe("too large".length)
    })
  )
})

/** A server that is there and takes nobody in: its queue is full, and it never looks at it. */
const full = Effect.acquireRelease(
  Effect.promise(async () => {
    const script = `
      const server = require("node:net").createServer()
      server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
        require("node:fs").writeSync(1, server.address().port + "\\n")
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120_000)
      })`
    const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "ignore" })
    const reader = child.stdout.getReader()
    const port = Number(new TextDecoder().decode((await reader.read()).value))
    const place = new URL(`http://127.0.0.1:${port}/`)
    // The runtime lets 512 wait, whatever it is told.
    const connect = () =>
      Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).catch(() => undefined)
    const waiting = Array.from({ length: 600 }, connect)
    await Promise.all(waiting.slice(0, 500))
    return { child, place, waiting }
  }),
  ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
)

it.effect("a host that takes no connections is not waited for as if it were thinking", () =>
  Effect.gen(function* () {
    const { place } = yield* full
    const asking = yield* Effect.fork(Effect.flip(Effect.scoped(open(direct, { url: place }, Duration.minutes(5)))))
    yield* TestClock.adjust("10 seconds")
    expect(yield* Fiber.join(asking)).toMatchObject({
      kind: "unreachable",
      code: "UND_ERR_CONNECT_TIMEOUT",
      detail: `no connection to ${place.host} could be made`
    })
  })
)

it.live("whoever refuses or answers can be connected to, as far as waiting is concerned", () =>
  Effect.gen(function* () {
    const url = yield* serving(() => new Response("x"))
    expect(yield* Effect.promise(() => canConnect(url))).toBe(true)
    expect(yield* Effect.promise(() => canConnect(new URL("http://127.0.0.1:1/")))).toBe(true)
  })
)

test("certificates that cannot be read are said", () => {
  const http = make({ variables: {}, extraCertificates: "/no/such/file.pem" })
  expect(http.exchange(new URL("https://127.0.0.1:1/"), {})).rejects.toThrow(
    "the certificates that NODE_EXTRA_CA_CERTS names cannot be read: /no/such/file.pem does not exist"
  )
})

describe("a name with addresses of both kinds", () => {
  /** Two servers at one port; `undefined` where the machine has no IPv6. */
  const both = Effect.gen(function* () {
    const old = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: ({ headers }) => new Response(`4 ${headers.get("host")}`) })
      ),
      (server) => Effect.promise(() => server.stop(true))
    )
    yield* Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ hostname: "::1", port: old.port ?? 0, fetch: () => new Response("6") })),
      (server) => Effect.promise(() => server.stop(true))
    )
    return new URL(`http://localhost:${old.port}/`)
  })
  const textOf = (http: HttpClient, url: URL) => Effect.map(ask(http, { url }, BOUNDS), ({ text }) => text)

  it.live("is reached by the old one where that is wanted, and is still called by its name", () =>
    Effect.gen(function* () {
      const url = yield* both
      expect(yield* textOf(make({ variables: {}, ipv4First: true }), url)).toBe(`4 ${url.host}`)
    })
  )

  it.live("is reached by the new one where nobody answers at the old one", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => Bun.serve({ hostname: "::1", port: 0, fetch: () => new Response("6") })),
        (one) => Effect.promise(() => one.stop(true))
      )
      const url = new URL(`http://localhost:${server.port}/`)
      expect(yield* textOf(make({ variables: {}, ipv4First: true }), url)).toBe("6")
    })
  )
})
