import { expect, test } from "bun:test"
import { proxyFor } from "./proxy.ts"

const target = new URL("https://api.example.com/v1")

const order: ReadonlyArray<readonly [Record<string, string>, string | undefined]> = [
  [{}, undefined],
  [{ http_proxy: "http://d:1" }, "http://d:1"],
  [{ http_proxy: "http://d:1", HTTP_PROXY: "http://c:1" }, "http://c:1"],
  [{ HTTP_PROXY: "http://c:1", https_proxy: "http://b:1" }, "http://b:1"],
  [{ https_proxy: "http://b:1", HTTPS_PROXY: "http://a:1" }, "http://a:1"],
  [{ HTTPS_PROXY: "  ", HTTP_PROXY: "http://c:1" }, "http://c:1"],
  [{ HTTPS_PROXY: "proxy.corp:3128" }, "http://proxy.corp:3128"],
  [{ HTTPS_PROXY: "socks5://s:1080" }, "socks5://s:1080"]
]

for (const [variables, expected] of order) {
  test(`proxy of ${JSON.stringify(variables)}`, () => expect(proxyFor(target, variables)).toBe(expected))
}

const exemptions: ReadonlyArray<readonly [noProxy: string, url: string, isDirect: boolean]> = [
  ["example.com", "https://api.example.com", true],
  [".example.com", "https://api.example.com", true],
  ["*.example.com", "https://api.example.com", true],
  ["API.EXAMPLE.COM", "https://api.example.com", true],
  ["ample.com", "https://api.example.com", false],
  ["other.org, example.com", "https://example.com", true],
  ["*", "https://anything.test", true],
  ["localhost:8080", "http://localhost:8080", true],
  ["localhost:8080", "http://localhost:9090", false],
  ["example.com:443", "https://example.com", true],
  ["127.0.0.1", "http://127.0.0.1:4000", true],
  ["::1", "http://[::1]:4000", true],
  ["", "https://example.com", false],
  [",,", "https://example.com", false]
]

for (const [noProxy, url, isDirect] of exemptions) {
  test(`NO_PROXY=${noProxy} and ${url}`, () =>
    expect(proxyFor(new URL(url), { HTTPS_PROXY: "http://p:1", NO_PROXY: noProxy })).toBe(
      isDirect ? undefined : "http://p:1"
    ))
}

test("the lower-case list counts when the upper-case one is missing", () =>
  expect(proxyFor(target, { HTTPS_PROXY: "http://p:1", no_proxy: "example.com" })).toBeUndefined())
