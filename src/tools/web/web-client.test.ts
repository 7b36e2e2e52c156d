/** Fetching within bounds: addresses, redirects, sizes, times, counts. Servers run on this machine. */
import { expect } from "bun:test"
import { gzipSync } from "node:zlib"
import { Effect, Fiber, TestClock } from "effect"
import { itWith } from "../../../test/kit/it.ts"
import { webLayer, webServer } from "../../../test/kit/web-room.ts"
import { WebClient } from "./web-client.ts"

const it = itWith(webLayer())

const get = (url: string) => Effect.flatMap(WebClient, (client) => client.get(url, "*/*"))
const admit = (url: string) => Effect.flatMap(WebClient, (client) => client.admit(url))
const refusal = (url: string) => Effect.map(Effect.flip(get(url)), ({ detail, kind }) => `${kind}: ${detail}`)

it.live("the connection goes to the judged address, the name goes to the server", () =>
  Effect.gen(function* () {
    const port = yield* webServer(
      (request) => new Response(`${request.headers.get("host")} ${request.headers.get("accept")}`)
    )
    const page = yield* get(`http://www.site.test:${port}/path`)
    expect(Buffer.from(page.body).toString()).toBe(`www.site.test:${port} */*`)
    expect(page).toMatchObject({ status: 200, contentType: "text/plain", url: `http://www.site.test:${port}/path` })
  })
)

it.live("private hosts are refused by name, by literal address and by where they lead", () =>
  Effect.gen(function* () {
    for (const host of [
      "localhost",
      "a.localhost",
      "printer.local",
      "metadata.google.internal",
      "intranet",
      "localhost."
    ]) {
      expect(yield* refusal(`http://${host}/`)).toStartWith("blocked: ")
    }
    for (const host of ["127.0.0.1", "0x7f.1", "[::1]", "169.254.169.254", "10.0.0.1", "[::ffff:10.0.0.1]"]) {
      expect(yield* refusal(`http://${host}/`)).toContain("is not a public address")
    }
    expect(yield* refusal("http://x.private.test/")).toBe(
      "blocked: x.private.test leads to 10.0.0.7, which is not a public address"
    )
    expect(yield* refusal("http://metadata.test/")).toStartWith("blocked: ")
    expect(yield* refusal("http://nowhere.test/")).toBe("unresolved: the name nowhere.test has no address")
    expect(yield* refusal("ftp://www.site.test/")).toStartWith("blocked: only http and https")
  })
)

it.live("every redirect is judged anew", () =>
  Effect.gen(function* () {
    const targets: Record<string, string> = {
      "/metadata": "http://169.254.169.254/latest/meta-data",
      "/name": "http://x.private.test/",
      "/local": "http://localhost/",
      "/file": "file:///etc/passwd",
      "/loop": "/loop"
    }
    const port = yield* webServer((request) => {
      const path = new URL(request.url).pathname
      const target = path === "/ok" ? "/end" : targets[path]
      return target === undefined
        ? new Response("end")
        : new Response(null, { status: 302, headers: { location: target } })
    })
    const at = (path: string) => `http://www.site.test:${port}${path}`
    expect(yield* get(at("/ok"))).toMatchObject({ status: 200, url: at("/end") })
    for (const path of ["/metadata", "/name", "/local", "/file"])
      expect(yield* refusal(at(path))).toStartWith("blocked: ")
    expect(yield* refusal(at("/loop"))).toBe("redirect: more than 10 redirects")
  })
)

it.live("bodies are bounded: announced, streamed and compressed ones", () =>
  Effect.gen(function* () {
    const big = new Uint8Array(11 * 1024 * 1024)
    const port = yield* webServer((request) => {
      const path = new URL(request.url).pathname
      if (path === "/announced") return new Response(big)
      if (path === "/bomb") return new Response(gzipSync(big), { headers: { "content-encoding": "gzip" } })
      if (path === "/gzip") return new Response(gzipSync("small"), { headers: { "content-encoding": "gzip" } })
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024))
        })
      )
    })
    const at = (path: string) => `http://www.site.test:${port}${path}`
    for (const path of ["/announced", "/endless", "/bomb"]) expect(yield* refusal(at(path))).toStartWith("too-large: ")
    expect(Buffer.from((yield* get(at("/gzip"))).body).toString()).toBe("small")
  })
)

it.live("a connection that fails is tried again, an error status is an answer", () =>
  Effect.gen(function* () {
    let count = 0
    const port = yield* webServer(() => {
      count += 1
      return new Response("no", { status: 503 })
    })
    expect(yield* get(`http://www.site.test:${port}/`)).toMatchObject({ status: 503 })
    expect(count).toBe(1)
    expect(yield* refusal("http://www.site.test:1/")).toStartWith("network: ")
  })
)

it.effect("a server that does not answer is given up after ten seconds, three times", () =>
  Effect.gen(function* () {
    const port = yield* webServer(() => new Promise<Response>(() => {}))
    const fiber = yield* Effect.fork(refusal(`http://www.site.test:${port}/`))
    for (let second = 0; second < 40; second += 1) {
      yield* Effect.promise(() => Bun.sleep(5))
      yield* TestClock.adjust("1 second")
    }
    expect(yield* Fiber.join(fiber)).toBe("timeout: no complete answer within 10 seconds")
  })
)

it.effect("ten requests to a host within a minute, counted by host", () =>
  Effect.gen(function* () {
    for (let count = 0; count < 10; count += 1) yield* admit("http://www.site.test/")
    const error = yield* Effect.flip(admit("http://WWW.site.test/other"))
    expect(error.kind).toBe("rate-limited")
    yield* admit("http://other.site.test/")
    yield* TestClock.adjust("60 seconds")
    yield* admit("http://www.site.test/")
  })
)

it.live("names that are not known here may still be known elsewhere, private ones are refused", () =>
  Effect.gen(function* () {
    yield* admit("http://nowhere.test/")
    expect((yield* Effect.flip(admit("http://x.private.test/"))).kind).toBe("blocked")
  })
)

it.live("behind a proxy the proxy is asked, with the name", () =>
  Effect.gen(function* () {
    const port = yield* webServer((request) => new Response(`proxied ${request.url}`))
    const page = yield* get("http://elsewhere.test/x").pipe(
      Effect.provide(webLayer({ HTTP_PROXY: `http://127.0.0.1:${port}` }))
    )
    expect(Buffer.from(page.body).toString()).toBe("proxied http://elsewhere.test/x")
    const error = yield* Effect.flip(
      get("http://x.private.test/").pipe(Effect.provide(webLayer({ HTTP_PROXY: `http://127.0.0.1:${port}` })))
    )
    expect(error.kind).toBe("blocked")
  })
)
