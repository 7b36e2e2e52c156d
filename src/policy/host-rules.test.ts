/** Where `web_fetch` may go unasked: to hosts that a prompt or a rule names, however an address is written. */
import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { decide } from "./decide.ts"
import type { DecisionContext, Verdict } from "./decision.ts"
import { defaultRules } from "./default-rules.ts"
import { hostPattern } from "./host-rules.ts"
import { inOrder, type PolicyRule } from "./rule.ts"
import { noSettings, settingsRules } from "./settings-rules.ts"
import { plainContext, userRule } from "./test-context.ts"
import { webReach } from "./web-reach.ts"

interface Asked {
  readonly heard?: ReadonlyArray<string>
  readonly rules?: ReadonlyArray<PolicyRule>
  readonly context?: Partial<DecisionContext>
}

const AUTO: Partial<DecisionContext> = { mode: "auto_edit" }

const decided = (args: Readonly<Record<string, unknown>>, { context = AUTO, heard = [], rules = [] }: Asked = {}) =>
  decide(
    inOrder([...rules, ...defaultRules()]),
    { name: "web_fetch", args },
    { ...plainContext, ...context, web: webReach(args, heard) }
  )

const verdict = (prompt: string, asked?: Asked): Verdict => decided({ prompt }, asked).verdict

describe("hosts of prompts", () => {
  const rows: ReadonlyArray<readonly [heard: string, prompt: string, verdict: Verdict]> = [
    ["read https://docs.example.com/x", "sum up https://docs.example.com/y?z", "allow"],
    ["read https://docs.example.com/x", "https://DOCS.example.com./y", "allow"],
    ["read https://docs.example.com/x", "https://docs.example.com:8443/y", "allow"],
    ["look at www.example.dev", "https://example.dev/a", "allow"],
    ["look at example.com.", "https://www.example.com/a", "allow"],
    ["see github.com/o/r, please", "https://github.com/o/r/blob/main/x", "allow"],
    ["read https://müller.example/", "http://xn--mller-kva.example/", "allow"],
    ["read http://93.184.216.34/a", "http://93.184.216.34/b", "allow"],
    ["read http://93.184.216.34/a", "http://1572395042/b", "allow"],
    ["read https://docs.example.com/x", "https://example.com/", "ask"],
    ["read https://example.com/x", "https://docs.example.com/", "ask"],
    ["read https://example.com/x", "https://example.com.evil.org/", "ask"],
    ["read https://example.com/x", "https://evil.org/?https://example.com/", "ask"],
    ["read https://example.com/x", "https://evil.org/example.com", "ask"],
    ["read https://example.com/x", "https://example.com@evil.org/", "ask"],
    ["read https://example.com/x", "https://evil.org\\@example.com/", "ask"],
    ["read https://example.com/x", "https://example.com/ and https://evil.org/", "ask"],
    ["read https://example.com/x", "https://ехample.com/", "ask"],
    ["fix main.rs, run.sh, Readme.md, java.io and System.Net", "https://main.rs/ https://run.sh/", "ask"],
    ["fix main.rs, run.sh, Readme.md, java.io and System.Net", "https://java.io/", "ask"],
    ["mail me@example.com", "https://example.com/", "ask"],
    ["the file a.example.com.txt", "https://a.example.com/", "ask"],
    ["", "https://example.com/?key=SECRET", "ask"]
  ]
  test.each(rows)("typed: %s, asked for: %s", (heard, prompt, expected) =>
    expect(verdict(prompt, { heard: [heard] })).toBe(expected)
  )

  test("in a headless run the rest is denied, with what would allow it", () => {
    const context = { ...AUTO, isInteractive: false }
    const {
      allowWith,
      reason,
      verdict: found
    } = decided({ prompt: "https://evil.org/?k=1 https://b.org" }, { context })
    expect([found, reason]).toEqual(["deny", "no prompt and no rule names evil.org, b.org"])
    expect(allowWith).toBe('--allowed-tools "web_fetch(evil.org b.org)"')
    const rules = settingsRules({ ...noSettings, allowedTools: ["web_fetch(evil.org b.org)"] }, context)
    expect(verdict("https://evil.org/?k=1 https://b.org", { context, rules })).toBe("allow")
    expect(verdict("https://evil.org/?k=1 https://c.org", { context, rules })).toBe("deny")
  })

  test("in no mode but yolo is a host fetched from that nobody named", () => {
    for (const mode of ["default", "auto_edit", "plan"] as const) {
      for (const isInteractive of [true, false]) {
        expect(verdict("https://evil.org/", { context: { mode, isInteractive } })).not.toBe("allow")
      }
    }
    expect(decided({ prompt: "https://evil.org/" }, { context: { mode: "yolo" } })).toMatchObject({ verdict: "allow" })
  })

  test("what was allowed for its hosts is held to them; what was allowed as a whole is not", () => {
    const heard = ["read https://github.com/o/r and https://www.a.com"]
    expect(decided({ prompt: "https://github.com/o/r/blob/main/x https://a.com" }, { heard }).onlyHosts).toEqual([
      "github.com",
      "a.com",
      "raw.githubusercontent.com"
    ])
    expect(decided({ prompt: "https://a.com" }, { context: { mode: "yolo" } }).onlyHosts).toBe(undefined)
    const whole = [userRule({ toolName: "web_fetch", decision: "allow" })]
    expect(decided({ prompt: "https://a.com" }, { rules: whole }).onlyHosts).toBe(undefined)
  })
})

describe("rules with hosts", () => {
  const rule = (decision: PolicyRule["decision"], ...hosts: ReadonlyArray<string>) => [
    userRule({ toolName: "web_fetch", decision, hosts })
  ]
  const rows: ReadonlyArray<readonly [rules: ReadonlyArray<PolicyRule>, prompt: string, verdict: Verdict]> = [
    [rule("allow", "example.com"), "https://example.com/", "allow"],
    [rule("allow", "EXAMPLE.com."), "https://www.example.com/", "allow"],
    [rule("allow", "https://example.com/x"), "https://example.com/", "allow"],
    [rule("allow", "example.com"), "https://a.example.com/", "ask"],
    [rule("allow", "*.example.com"), "https://a.b.example.com/", "allow"],
    [rule("allow", "*.example.com"), "https://example.com/", "ask"],
    [rule("allow", "*.example.com"), "https://badexample.com/", "ask"],
    [rule("allow", "example.com", "b.org"), "https://example.com/ https://b.org/", "allow"],
    [rule("allow", "example.com"), "https://example.com/ https://b.org/", "ask"],
    [rule("allow", "not a host"), "https://example.com/", "ask"],
    [rule("allow", "2606:4700::1"), "http://[2606:4700:0::1]/", "allow"],
    // A prohibition is about the call if it is about one of its hosts.
    [rule("deny", "evil.org"), "https://example.com/ https://evil.org/", "deny"],
    [rule("deny", "not a host"), "https://example.com/", "deny"],
    [rule("deny", "evil.org"), "https://example.com/", "ask"]
  ]
  test.each(rows)("%o, asked for: %s", (rules, prompt, expected) => expect(verdict(prompt, { rules })).toBe(expected))

  test("the direct form is read as well, and an argument that is not its own hides nothing", () => {
    const rules = rule("allow", "example.com")
    expect(decided({ url: "https://example.com/" }, { rules }).verdict).toBe("allow")
    expect(decided({ url: "https://evil.org/" }, { rules }).verdict).toBe("ask")
    expect(decided({ url: "https://evil.org/", prompt: "https://example.com/" }, { rules }).verdict).toBe("ask")
    expect(decided({ url: "https://example.com/", prompt: "https://evil.org/" }, { rules }).verdict).toBe("ask")
    expect(decided({}, { rules }).verdict).toBe("ask")
  })

  test("a pattern is a host in one spelling, or none", () => {
    expect(
      ["Example.COM", "www.example.com", "*.Example.com", "http://[::1]:80/x", "bücher.example"].map(hostPattern)
    ).toEqual(["example.com", "example.com", "*.example.com", "::1", "xn--bcher-kva.example"])
    for (const wrong of ["", "*", "*.*.com", "a b", "me@example.com", "http://", "exa*mple.com"]) {
      expect([wrong, hostPattern(wrong)]).toEqual([wrong, undefined])
    }
  })
})

test("whatever stands around it: an address of a host that was not named is never fetched unasked", () => {
  const noise = fc.string({ maxLength: 12 })
  const good = fc.constantFrom("https://example.com/", "https://www.example.com/a?b=c", "HTTP://EXAMPLE.COM:80")
  const bad = fc
    .tuple(
      fc.constantFrom("http://", "https://", "HTTPS://"),
      fc.constantFrom("", "example.com@", "example.com:x@", "a%40b@"),
      fc.constantFrom("evil.org", "example.com.evil.org", "evil.org.", "93.184.216.34", "xexample.com", "example.co"),
      fc.constantFrom("", ":8080"),
      fc.constantFrom("", "/", "/example.com", "/?u=https://example.com/", "#https://example.com")
    )
    .map((parts) => parts.join(""))
  fc.assert(
    fc.property(fc.array(fc.oneof(noise, good)), bad, fc.array(fc.oneof(noise, good)), (before, address, after) => {
      const prompt = [...before, address, ...after].join(" ")
      expect(verdict(prompt, { heard: ["read https://example.com/ for me"] })).not.toBe("allow")
    }),
    { numRuns: 2_000 }
  )
})
