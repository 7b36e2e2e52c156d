/** What goes along with a redirect, and what does not. */
import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import type { HttpRequest } from "./http.ts"
import { isSameParty, nextRequest } from "./redirects.ts"

const SECRET = {
  authorization: "Bearer s",
  cookie: "a=b",
  "x-api-key": "k",
  accept: "text/html",
  "content-type": "x/y"
}

const redirected = (from: string, to: string, status = 302, more: Omit<HttpRequest, "url"> = {}) => {
  const next = nextRequest(
    { url: new URL(from), headers: SECRET, ...more },
    { status, headers: new Headers({ location: to }) }
  )
  return typeof next === "object"
    ? {
        url: next.url.href,
        method: next.method,
        body: next.body,
        headers: Object.fromEntries(new Headers(next.headers))
      }
    : next
}

describe("headers", () => {
  const kept: ReadonlyArray<readonly [from: string, to: string]> = [
    ["https://a.com/x", "/y"],
    ["https://a.com/x", "https://a.com:443/y"],
    ["https://a.com/x", "https://A.COM/y"],
    ["http://a.com/x", "https://a.com/x"]
  ]
  for (const [from, to] of kept)
    test(`${from} to ${to}: all`, () => expect(redirected(from, to)).toMatchObject({ headers: SECRET }))

  const dropped: ReadonlyArray<readonly [from: string, to: string]> = [
    ["https://a.com/x", "http://a.com/x"],
    ["https://a.com/x", "https://b.com/x"],
    ["https://a.com/x", "https://www.a.com/x"],
    ["https://a.com/x", "https://a.com:8443/x"],
    ["https://a.com/x", "//b.com/x"],
    ["https://a.com/x", "\\\\b.com\\x"],
    ["https://a.com/x", "https://a.com@b.com/x"],
    ["http://a.com:8080/x", "https://a.com/x"],
    ["http://a.com/x", "https://a.com:8443/x"]
  ]
  for (const [from, to] of dropped) {
    test(`${from} to ${to}: none that says anything`, () =>
      expect(redirected(from, to)).toMatchObject({ headers: { accept: "text/html" } }))
    test(`${from} to ${to}: really none`, () =>
      expect(Object.keys((redirected(from, to) as { headers: object }).headers)).toEqual(["accept"]))
  }

  test("names and passwords in an address are not taken", () => {
    expect(redirected("https://a.com/", "https://me:pw@a.com/y")).toMatchObject({ url: "https://a.com/y" })
  })
})

describe("bodies", () => {
  const post = { method: "POST", body: "secret" }
  test("stay where they are meant for", () => {
    expect(redirected("https://a.com/", "https://b.com/", 307, post)).toBe("it would have what was sent go to b.com")
    expect(redirected("https://a.com/", "http://a.com/", 308, post)).toBe("it would have what was sent go to a.com")
  })
  test("are sent again where the server says so", () => {
    expect(redirected("https://a.com/", "/b", 308, post)).toMatchObject({ ...post, headers: SECRET })
  })
  test("are left out, with what describes them, where it becomes a question", () => {
    for (const status of [301, 302, 303]) {
      const next = redirected("https://a.com/", "/b", status, post)
      expect(next).toMatchObject({ method: "GET", body: undefined })
      expect(Object.keys((next as { headers: object }).headers)).not.toContain("content-type")
    }
  })
})

test("what is not on the net is not gone to", () => {
  for (const to of ["file:///etc/passwd", "data:text/plain,x", "javascript:alert(1)", "ftp://a.com/", "http://["]) {
    expect(redirected("https://a.com/", to)).toBe(`it leads to ${to}, which is not on the net`)
  }
})

test("other answers are answers", () => {
  for (const status of [200, 300, 304, 401, 500])
    expect(redirected("https://a.com/", "https://b.com/", status)).toBe(undefined)
  expect(nextRequest({ url: new URL("https://a.com/") }, { status: 302, headers: new Headers() })).toBe(undefined)
})

test("wherever it leads: no secret and no body reaches another party", () => {
  const host = fc.constantFrom("a.com", "b.com", "a.com.", "A.com", "127.0.0.1", "[::1]", "a.com@b.com", "x:y@a.com")
  const place = fc
    .tuple(fc.constantFrom("http", "https"), host, fc.constantFrom("", ":80", ":443", ":8080"), fc.webPath())
    .map(([scheme, name, port, path]) => `${scheme}://${name}${port}${path}`)
  const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE")
  fc.assert(
    fc.property(
      place,
      fc.oneof(place, fc.webPath()),
      fc.constantFrom(301, 302, 303, 307, 308),
      method,
      (from, to, status, how) => {
        const next = redirected(from, to, status, { method: how, ...(how === "POST" ? { body: "secret" } : {}) })
        if (typeof next !== "object") return
        const target = new URL(next.url)
        expect([target.username, target.password]).toEqual(["", ""])
        if (isSameParty(new URL(from), target)) return
        expect(Object.keys(next.headers).filter((name) => name !== "accept")).toEqual([])
        expect(next.body).toBe(undefined)
      }
    ),
    { numRuns: 2_000 }
  )
})
