import { expect, test } from "bun:test"
import { refusalOf } from "./caller-gate.ts"

const rules = { hosts: ["localhost", "127.0.0.1", "[::1]"], token: "secret" }
const closed = { isOpen: false, port: 8123 }
const status = (headers: Record<string, string>, isOpen = false) =>
  refusalOf(new Headers(headers), rules, { ...closed, isOpen })?.status

test.each<[string, Record<string, string>, 401 | 403 | undefined]>([
  ["the token under each of our names", { host: "LOCALHOST:8123", authorization: "bearer secret" }, undefined],
  ["by address", { host: "[::1]:8123", authorization: "Bearer secret" }, undefined],
  ["no token", { host: "localhost:8123" }, 401],
  ["a token that begins right", { host: "localhost:8123", authorization: "Bearer secre" }, 401],
  ["a token that goes on", { host: "localhost:8123", authorization: "Bearer secret " + "x" }, 401],
  ["another scheme", { host: "localhost:8123", authorization: "Basic secret" }, 401],
  ["a name that leads here (rebinding)", { host: "evil.test:8123", authorization: "Bearer secret" }, 403],
  ["a name that begins like ours", { host: "localhost.evil.test:8123", authorization: "Bearer secret" }, 403],
  ["another port", { host: "localhost:80", authorization: "Bearer secret" }, 403],
  ["no name at all", { authorization: "Bearer secret" }, 403],
  [
    "a page of any origin",
    { host: "localhost:8123", origin: "http://localhost:8123", authorization: "Bearer secret" },
    403
  ],
  [
    "a page without an origin of its own",
    { host: "localhost:8123", origin: "null", authorization: "Bearer secret" },
    403
  ]
])("%s", (_, headers, expected) => {
  expect(status(headers)).toBe(expected)
})

test("what everybody may know needs no token, and is nothing for web pages either", () => {
  expect(status({ host: "localhost:8123" }, true)).toBeUndefined()
  expect(status({ host: "localhost:8123", origin: "http://evil.test" }, true)).toBe(403)
  expect(status({ host: "evil.test:8123" }, true)).toBe(403)
})
