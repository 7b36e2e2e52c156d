/** Fetching within bounds: addresses, redirects, sizes, times, counts. Servers run on this machine. */
import { expect } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect, Either, Fiber, FastCheck as fc, Layer, TestClock } from "effect"
import { itWith } from "../../../test/kit/it.ts"
import { webLayer, webServer } from "../../../test/kit/web-room.ts"
import * as Http from "../../system/http/http.ts"
import { isPublicAddress } from "../../system/http/public-address.ts"
import * as HostResolver from "./host-resolver.ts"
import { layer as clientLayer, WebClient } from "./web-client.ts"

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

it.live("where a call was allowed for some hosts, a redirect leads to no other", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const port: number = yield* webServer((request): Response => {
      const { host, pathname } = new URL(request.url)
      seen.push(host)
      if (pathname === "/out") return Response.redirect(`http://other.site.test:${port}/?stolen`)
      return pathname === "/www" ? Response.redirect(`http://www.site.test:${port}/end`) : new Response("end")
    })
    const only = (path: string) =>
      Effect.flatMap(WebClient, (client) => client.get(`http://site.test:${port}${path}`, "*/*", ["site.test"]))
    const error = yield* Effect.flip(only("/out"))
    expect([error.kind, error.detail]).toEqual([
      "redirect",
      `it leads to another host, http://other.site.test:${port}/?stolen, and that was not followed: fetch it by a call of its own`
    ])
    expect(seen).toEqual([`site.test:${port}`])
    expect((yield* only("/www")).url).toBe(`http://www.site.test:${port}/end`)
    expect((yield* get(`http://site.test:${port}/out`)).url).toBe(`http://other.site.test:${port}/?stolen`)
  })
)

it.live("addresses with a name and a password are refused, also where a redirect has them", () =>
  Effect.gen(function* () {
    const port: number = yield* webServer((): Response => Response.redirect(`http://me:pw@www.site.test:${port}/`))
    expect(yield* refusal("http://google.com@www.site.test/")).toStartWith("blocked: an address with a name")
    expect(yield* refusal(`http://www.site.test:${port}/`)).toStartWith("blocked: an address with a name")
  })
)

/** A name that means something else every time it is looked up. */
const rebinding = (...answers: ReadonlyArray<string>) => {
  const asked: Array<string> = []
  const resolver = HostResolver.layerWith({
    lookup: async (name) => {
      asked.push(name)
      return [answers[(asked.length - 1) % answers.length] ?? ""]
    },
    isAllowed: (address) => address === "127.0.0.1" || isPublicAddress(address)
  })
  const http = Layer.succeed(Http.Http, Http.make({ variables: {} }))
  return { asked, layer: clientLayer.pipe(Layer.provide(Layer.merge(resolver, http))) }
}

it.live("a name that changes its meaning gains nothing: what was judged is what is connected to", () =>
  Effect.gen(function* () {
    const port = yield* webServer((request) =>
      new URL(request.url).pathname === "/again" ? Response.redirect("/end") : new Response("public")
    )
    // Judged as public, and looked up once: the second meaning is never asked for.
    const once = rebinding("127.0.0.1", "169.254.169.254")
    const page = yield* get(`http://turn.test:${port}/`).pipe(Effect.provide(once.layer))
    expect([Buffer.from(page.body).toString(), once.asked]).toEqual(["public", ["turn.test"]])
    // Admitted, and meanwhile something else: it is judged anew.
    const meanwhile = rebinding("127.0.0.1", "10.0.0.7")
    const both = Effect.zipRight(admit(`http://turn.test:${port}/`), refusal(`http://turn.test:${port}/`))
    expect(yield* Effect.provide(both, meanwhile.layer)).toStartWith("blocked: turn.test leads to 10.0.0.7")
    // At a redirect to itself, too.
    const later = rebinding("127.0.0.1", "fd00:ec2::254")
    expect(yield* Effect.provide(refusal(`http://turn.test:${port}/again`), later.layer)).toStartWith(
      "blocked: turn.test leads to fd00:ec2::254"
    )
  })
)

it.live("the certificate is that of the name, though the connection goes to an address", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "pinned-"))
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")]
    const names = ["-subj", "/CN=x", "-addext", "subjectAltName=DNS:www.site.test"]
    const made = Bun.spawnSync([
      ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "2", ...names, "-keyout", key, "-out", cert]
    ])
    if (made.exitCode !== 0) return
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          port: 0,
          hostname: "127.0.0.1",
          tls: { key: readFileSync(key), cert: readFileSync(cert) },
          fetch: () => new Response("safe")
        })
      ),
      (running) => Effect.promise(() => running.stop(true))
    )
    const at = (host: string) => `https://${host}:${server.port}/`
    const trusting = webLayer({}, cert)
    expect(yield* refusal(at("www.site.test"))).toStartWith("network: ")
    expect(Buffer.from((yield* Effect.provide(get(at("www.site.test")), trusting)).body).toString()).toBe("safe")
    expect(yield* Effect.provide(refusal(at("other.site.test")), trusting)).toStartWith("network: ")
    rmSync(folder, { recursive: true })
  })
)

/** All ways to write an IPv4 address in a URL that browsers know, and IPv6 addresses that carry one. */
const spellings = ([a = 0, b = 0, c = 0, d = 0]: ReadonlyArray<number>): ReadonlyArray<string> => {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (value: number) => value.toString(16)
  const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    String(whole),
    `0x${hex(whole)}`,
    `0${whole.toString(8)}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0${a.toString(8)}.0${b.toString(8)}.0${c.toString(8)}.0${d.toString(8)}`,
    `0x${hex(a)}.0X${hex(b)}.${c}.0${d.toString(8)}`,
    `%3${String(a)[0]}${String(a).slice(1)}.${b}.${c}.${d}`,
    `${a}\u3002${b}\uff0e${c}\uff61${d}`,
    [...`${a}.${b}.${c}.${d}`]
      .map((char) => (char === "." ? char : String.fromCharCode(0xfee0 + char.charCodeAt(0))))
      .join(""),
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::ffff:${groups}]`,
    `[::${a}.${b}.${c}.${d}]`,
    `[64:ff9b::${groups}]`,
    `[64:ff9b:1::${groups}]`,
    `[2002:${groups}::1]`,
    `[2001:0:${groups}::1]`,
    `user@${a}.${b}.${c}.${d}`,
    `8.8.8.8@${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}:8080`
  ]
}

it.live("however an address of a private network is written, nothing is sent and no name is looked up", () =>
  Effect.promise(async () => {
    const byte = fc.nat(255)
    const hidden = fc.oneof(
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
      fc.tuple(fc.constant(0), byte, byte, byte),
      fc.constant([169, 254, 169, 254])
    )
    await fc.assert(
      fc.asyncProperty(hidden, fc.constantFrom("http", "https"), async (address, scheme) => {
        const silent = rebinding("93.184.216.34")
        for (const host of spellings(address)) {
          const tried = Effect.provide(Effect.either(get(`${scheme}://${host}/`)), silent.layer)
          const outcome = await Effect.runPromise(tried)
          expect([host, Either.isLeft(outcome) && outcome.left.kind]).toEqual([host, "blocked"])
        }
        expect(silent.asked).toEqual([])
      }),
      { numRuns: 60 }
    )
  })
)

it.live("names that only a private network knows are refused before they are looked up", () =>
  Effect.gen(function* () {
    const silent = rebinding("93.184.216.34")
    const names = [
      ...["localhost", "LOCALHOST", "localhost.", "localhost..", "a.localhost", "printer.local", "x.internal."],
      ...["metadata.google.internal", "intranet", "host.docker.internal", "nas.lan", "1.0.0.127.in-addr.arpa"],
      ...["ⓛocalhost", "local%68ost", "a..example.com", "[fe80::1]", "[fd00:ec2::254]", "[::]", "[::1]"]
    ]
    for (const name of names) {
      const error = yield* Effect.provide(Effect.flip(get(`http://${name}/`)), silent.layer)
      expect([name, error.kind]).toEqual([name, "blocked"])
    }
    for (const url of [
      "file:///etc/passwd",
      "data:text/plain,x",
      "blob:http://x/y",
      "ftp://a.com/",
      "view-source:http://a.com"
    ]) {
      expect((yield* Effect.provide(Effect.flip(get(url)), silent.layer)).kind).toBe("blocked")
    }
    expect(silent.asked).toEqual([])
  })
)
