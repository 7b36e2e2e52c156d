import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { type DomainRule, decideHost, parseDomainRule } from "./domain-rules.ts"

const rules = (...texts: ReadonlyArray<string>): ReadonlyArray<DomainRule> =>
  texts.map((text) => {
    const rule = parseDomainRule(text)
    if (rule === undefined) throw new Error(text)
    return rule
  })

const RULES = rules("example.com", "*.npmjs.org", "git.example.net:22", "bücher.example", "localhost:8080")

describe("a host is allowed", () => {
  test.each([
    ["example.com", 443, "example.com"],
    ["EXAMPLE.com", 80, "example.com"],
    ["example.com.", 443, "example.com"],
    ["registry.npmjs.org", 443, "registry.npmjs.org"],
    ["a.b.npmjs.org", 443, "a.b.npmjs.org"],
    ["git.example.net", 22, "git.example.net"],
    ["bücher.example", 443, "xn--bcher-kva.example"],
    ["xn--bcher-kva.example", 443, "xn--bcher-kva.example"],
    ["ｅxample.com", 443, "example.com"],
    ["localhost", 8080, "localhost"]
  ])("%s:%d", (given, port, host) => {
    expect(decideHost(RULES, given, port)).toMatchObject({ host, port })
  })
})

describe("a host is refused", () => {
  test.each([
    ["evil.com", 443],
    ["npmjs.org", 443],
    ["evilnpmjs.org", 443],
    ["example.com.evil.com", 443],
    ["sub.example.com", 443],
    ["example.com", 22],
    ["example.com", 8443],
    ["git.example.net", 443],
    ["localhost", 80],
    ["example.com\0.evil.com", 443],
    ["evil.com\0.npmjs.org", 443],
    ["evil.com#.npmjs.org", 443],
    ["evil.com/.npmjs.org", 443],
    ["evil.com\\.npmjs.org", 443],
    ["user@evil.com", 443],
    ["evil.com%2f.npmjs.org", 443],
    ["evil.com%00.npmjs.org", 443],
    ["evil.com .npmjs.org", 443],
    ["evil.com\n.npmjs.org", 443],
    ["example.com..", 443],
    [".npmjs.org", 443],
    ["..npmjs.org", 443],
    ["", 443],
    [".", 443],
    ["127.0.0.1", 443],
    ["127.1", 443],
    ["2130706433", 443],
    ["0x7f000001", 443],
    ["0177.0.0.1", 443],
    ["127.0.0.1.", 443],
    ["１２７.0.0.1", 443],
    ["::1", 443],
    ["[::1]", 443],
    ["::ffff:127.0.0.1", 443],
    ["bucher.example", 443],
    ["exаmple.com", 443]
  ])("%p:%d", (given, port) => {
    expect(decideHost(RULES, given, port)).toHaveProperty("refused")
  })

  test("whatever is written in front of a suffix, only names below it pass", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary" }), (before) => {
        const verdict = decideHost(RULES, `${before}npmjs.org`, 443)
        if ("host" in verdict) expect(verdict.host).toMatch(/^[a-z0-9_.-]+\.npmjs\.org$/)
      })
    )
  })
})

test.each([
  "*",
  "*.com",
  "",
  "a b",
  "http://example.com",
  "example.com:0",
  "example.com:70000",
  "1.2.3.4",
  "a*.b.c",
  "x/y"
])("%p is no rule", (text) => {
  expect(parseDomainRule(text)).toBeUndefined()
})
