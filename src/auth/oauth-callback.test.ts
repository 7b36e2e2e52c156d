/** What a strange page, or another program of this machine, can do to a login: nothing. */
import { describe, expect } from "bun:test"
import { Effect, Either, Fiber } from "effect"
import { it } from "../../test/kit/it.ts"
import { type CallbackOptions, codeFromPaste, listenForCode, redirectUriOf } from "./oauth-callback.ts"

const STATE = "s3cret"
const ISSUER = "https://login.example"

const listening = (options: Partial<CallbackOptions> = {}) =>
  Effect.gen(function* () {
    const login = { port: 0, state: STATE, issuer: ISSUER, redirectUri: redirectUriOf, ...options }
    const callback = yield* listenForCode(login)
    const place = new URL(callback.redirectUri)
    const base = `http://localhost:${place.port}`
    const visit = (path: string, init?: RequestInit) => Effect.promise(() => fetch(`${base}${path}`, init))
    return { ...callback, base, visit, port: Number(place.port) }
  })

/** Still waiting: nothing that came ended the login. */
const isOpen = (code: Effect.Effect<string, string>) =>
  Effect.gen(function* () {
    const waiting = yield* Effect.fork(code)
    yield* Effect.yieldNow()
    const ended = yield* Fiber.poll(waiting)
    yield* Fiber.interrupt(waiting)
    return ended._tag === "None"
  })

/** As a browser says what a request is for. */
const fetched = (mode: string, dest: string) => ({
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": mode,
  "sec-fetch-dest": dest
})

const GOOD = `/oauth/callback?code=c&state=${STATE}`

describe("a login under way", () => {
  type Attempt = readonly [what: string, status: number, path: string, init?: RequestInit]
  const attempts: ReadonlyArray<Attempt> = [
    ["another state", 400, "/oauth/callback?code=c&state=other"],
    ["no state", 400, "/oauth/callback?code=c"],
    ["a forged error", 400, "/oauth/callback?error=access_denied"],
    ["a forged error with another state", 400, "/oauth/callback?error=access_denied&state=x"],
    ["two states", 400, `/oauth/callback?code=c&state=${STATE}&state=other`],
    ["two codes", 400, `/oauth/callback?code=c&code=d&state=${STATE}`],
    ["two errors", 400, `/oauth/callback?error=a&error=b&state=${STATE}`],
    ["another path", 404, `/other?code=c&state=${STATE}`],
    ["the root", 404, `/?code=c&state=${STATE}`],
    ["a path that only looks the same", 404, `/oauth/callback/?code=c&state=${STATE}`],
    ["a form", 405, GOOD, { method: "POST" }],
    ["a form with something in it", 413, GOOD, { method: "POST", body: "code=c" }],
    ["a question of a browser about methods", 405, GOOD, { method: "OPTIONS" }],
    ["HEAD, as programs that look at links send it", 405, GOOD, { method: "HEAD" }],
    ["a script of a page", 403, GOOD, { headers: { origin: "https://evil.example" } }],
    ["a script without an origin", 403, GOOD, { headers: { origin: "null" } }],
    ["an image", 403, GOOD, { headers: fetched("no-cors", "image") }],
    ["a frame", 403, GOOD, { headers: fetched("navigate", "iframe") }],
    ["a name that leads here", 421, GOOD, { headers: { host: "evil.example" } }],
    ["a name that leads here, with our port", 421, GOOD, { headers: { host: "evil.example:1" } }],
    ["our name with another port", 421, GOOD, { headers: { host: "localhost:1" } }],
    ["a name that begins like ours", 421, GOOD, { headers: { host: "localhost.evil.example" } }]
  ]
  for (const [what, status, path, init] of attempts) {
    it.live(`does not end by ${what}`, () =>
      Effect.gen(function* () {
        const { code, visit } = yield* listening()
        const answer = yield* visit(path, init)
        expect(answer.status).toBe(status)
        expect(yield* isOpen(code)).toBe(true)
        // And the right answer still counts.
        expect((yield* visit(GOOD)).status).toBe(200)
        expect(yield* code).toBe("c")
      })
    )
  }

  it.live("ends by a page that was opened for it, under each of our names", () =>
    Effect.gen(function* () {
      for (const name of ["localhost", "127.0.0.1", "[::1]"]) {
        const { code, port, visit } = yield* listening()
        const headers = { ...fetched("navigate", "document"), host: `${name}:${port}` }
        expect((yield* visit(GOOD, { headers })).status).toBe(200)
        expect(yield* code).toBe("c")
      }
    })
  )

  it.live("ends once", () =>
    Effect.gen(function* () {
      const { code, visit } = yield* listening()
      const many = yield* Effect.all(
        Array.from({ length: 20 }, (_, index) => visit(`/oauth/callback?code=c${index}&state=${STATE}`)),
        { concurrency: "unbounded" }
      )
      expect(many.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(many.filter(({ status }) => status === 410)).toHaveLength(19)
      const [first, again] = [yield* code, yield* code]
      expect(again).toBe(first)
    })
  )

  it.live("is not brought down by what is too large", () =>
    Effect.gen(function* () {
      const { code, visit } = yield* listening()
      const large = yield* visit(GOOD, { headers: { "x-large": "x".repeat(200_000) } })
      expect(large.status).toBeGreaterThanOrEqual(400)
      expect((yield* visit(`${GOOD}&x=${"x".repeat(200_000)}`)).status).toBeGreaterThanOrEqual(400)
      expect(yield* isOpen(code)).toBe(true)
    })
  )

  it.live("tells a refusal of the login page itself, in one line that cannot act on a terminal", () =>
    Effect.gen(function* () {
      const { code, visit } = yield* listening()
      const said = encodeURIComponent("no\u001b[2J\nway <b>")
      const page = yield* visit(`/oauth/callback?error=x&error_description=${said}&state=${STATE}`)
      expect(yield* Effect.promise(() => page.text())).toContain("&lt;b&gt;")
      expect(yield* Effect.flip(code)).toBe("the login was refused: no way <b>")
    })
  )

  it.live("knows an answer of another issuer", () =>
    Effect.gen(function* () {
      const { code, visit } = yield* listening()
      yield* visit(`${GOOD}&iss=${encodeURIComponent("https://evil.example")}`)
      expect(yield* Effect.flip(code)).toContain("comes from https://evil.example")
      const honest = yield* listening()
      yield* honest.visit(`${GOOD}&iss=${encodeURIComponent(ISSUER)}`)
      expect(yield* honest.code).toBe("c")
    })
  )

  it.live("says nothing that another page could use", () =>
    Effect.gen(function* () {
      const { visit } = yield* listening()
      const { headers } = yield* visit(GOOD)
      expect(headers.get("access-control-allow-origin")).toBe(null)
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("cache-control")).toBe("no-store")
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    })
  )
})

it.live("an address of one's own counts: its host and its path", () =>
  Effect.gen(function* () {
    let port = 0
    const redirectUri = (bound: number) => {
      port = bound
      return `https://${bound}-desk.example/back`
    }
    const { code } = yield* listenForCode({ port: 0, state: STATE, issuer: undefined, redirectUri })
    const visit = (host: string) =>
      Effect.promise(() => fetch(`http://localhost:${port}/back?code=c&state=${STATE}`, { headers: { host } }))
    expect((yield* visit("desk.example")).status).toBe(421)
    expect((yield* visit(`${port}-desk.example`)).status).toBe(200)
    expect(yield* code).toBe("c")
  })
)

it.live("what is pasted is held against the same login", () =>
  Effect.gen(function* () {
    const login = { state: STATE, issuer: ISSUER }
    const pasted = (text: string) => Effect.map(Effect.either(codeFromPaste(text, login)), Either.merge)
    expect(yield* pasted(` http://localhost:1${GOOD} `)).toBe("c")
    expect(yield* pasted("4/abc")).toBe("4/abc")
    expect(yield* pasted("  ")).toBe("nothing was pasted")
    expect(yield* pasted("http://localhost:1/?code=c&state=other")).toContain("state does not match")
    expect(yield* pasted("http://localhost:1/?error=access_denied")).toContain("state does not match")
    expect(yield* pasted(`http://localhost:1/?error=access_denied&state=${STATE}`)).toContain("access_denied")
  })
)
