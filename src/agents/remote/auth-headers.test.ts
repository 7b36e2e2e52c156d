import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import type { ServerAuth } from "../../mcp/server-auth.ts"
import { childVariables } from "../../system/child-variables.ts"
import { type AuthSources, agentAuth, googleRequest } from "./auth-headers.ts"
import { type RemoteAuth, runsCommand } from "./remote-auth.ts"
import { remoteRule } from "./remote-rule.ts"
import { commandOutput, secretValue } from "./secret-value.ts"

const shell = commandOutput({
  env: childVariables({ inherits: { PATH: process.env.PATH ?? "" } }),
  platform: process.platform,
  cwd: "/"
})
const sources: AuthSources = {
  variable: (name) => ({ TOKEN: "t0k", EMPTY: "" })[name],
  output: shell,
  canLogIn: true,
  logins: {
    sign: ({ settings }) => Effect.succeed({ headers: { authorization: `login of ${settings.oauth?.clientId}` } }),
    renew: () => Effect.succeed(true),
    logIn: () => Effect.void
  } satisfies ServerAuth["Type"],
  google: (request, { isFresh }) => Effect.succeed({ google: JSON.stringify({ request, isFresh }) })
}

const headersFor = (auth: RemoteAuth | undefined, url = "https://far.example/rpc") =>
  Effect.either(agentAuth("far", auth, sources).headers(new URL(url)))

describe("secrets", () => {
  for (const [written, value] of [
    ["plain", "plain"],
    ["$TOKEN", "t0k"],
    ["$".concat("{TOKEN}"), "t0k"],
    ["$$TOKEN", "$TOKEN"],
    ["!!echo", "!echo"],
    ["!echo '  printed  '", "printed"]
  ] as const)
    it.live(`${written} is ${value}`, () =>
      Effect.map(Effect.either(secretValue(written, sources)), (got) => expect(got).toMatchObject({ right: value }))
    )

  for (const [written, reason] of [
    ["$MISSING", "the variable MISSING is not set"],
    ["$EMPTY", "the variable EMPTY is not set"],
    ["!true", "its command printed nothing"],
    ["!echo no; exit 3", "its command ended with exit code 3"],
    ["!yes", "its command printed more than 64 KiB"]
  ] as const)
    it.live(`${written} fails: ${reason}`, () =>
      Effect.map(Effect.either(secretValue(written, sources)), (got) => expect(got).toMatchObject({ left: reason }))
    )
})

it.live("whether a command is run can be told beforehand", () =>
  Effect.sync(() => {
    const key = (written: string) => runsCommand({ type: "apiKey", key: written, name: "X" })
    expect([key("!pass show x"), key("!!x"), key("$X"), key("x"), runsCommand(undefined)]).toEqual([
      ...[true, false, false, false, false]
    ])
    const credentials = { _tag: "basic", username: "me", password: "!pass" } as const
    expect(runsCommand({ type: "http", scheme: "Basic", credentials })).toBe(true)
    expect(runsCommand({ type: "oauth", clientSecret: "!pass" })).toBe(true)
  })
)

describe("headers", () => {
  for (const [auth, headers] of [
    [undefined, {}],
    [{ type: "apiKey", key: "k", name: "X-Key" }, { "X-Key": "k" }],
    [
      { type: "http", scheme: "Bearer", credentials: { _tag: "token", token: "$TOKEN" } },
      { authorization: "Bearer t0k" }
    ],
    [
      { type: "http", scheme: "Basic", credentials: { _tag: "basic", username: "u", password: "p" } },
      { authorization: "Basic dTpw" }
    ],
    [{ type: "http", scheme: "Custom", credentials: { _tag: "value", value: "v" } }, { authorization: "Custom v" }],
    [{ type: "oauth", clientId: "me" }, { authorization: "login of me" }]
  ] as const)
    it.live(`of ${JSON.stringify(auth)}`, () =>
      Effect.map(headersFor(auth), (got) => expect<unknown>(got).toMatchObject({ right: headers }))
    )

  it.live("Google credentials go to Google's hosts only, over https", () =>
    Effect.sync(() => {
      const of = (url: string, scopes: ReadonlyArray<string> = []) => googleRequest(new URL(url), { scopes })
      expect(of("https://x.googleapis.com/a")).toEqual({
        _tag: "access",
        scopes: ["https://www.googleapis.com/auth/cloud-platform"]
      })
      expect(of("https://x.googleapis.com", ["s"])).toEqual({ _tag: "access", scopes: ["s"] })
      expect(of("https://me-abc.run.app/x")).toEqual({ _tag: "identity", audience: "me-abc.run.app" })
      const account = "bot@p.iam.gserviceaccount.com"
      const acting = (url: string, audience?: string) =>
        googleRequest(new URL(url), { scopes: [], account, ...(audience === undefined ? {} : { audience }) })
      expect(acting("https://me-abc.run.app/x")).toEqual({ _tag: "identity", audience: "me-abc.run.app", account })
      expect(acting("https://agent.example/x", "mine")).toEqual({ _tag: "identity", audience: "mine", account })
      expect(acting("http://agent.example/x", "mine")).toContain("https only")
      expect(acting("https://agent.example/x")).toContain("not one of Google's hosts")
      expect(of("http://x.googleapis.com")).toContain("https only")
      expect(of("https://googleapis.com.evil.example")).toContain("not one of Google's hosts")
      expect(of("https://evilgoogleapis.com")).toContain("not one of Google's hosts")
    })
  )
})

describe("the rule for a remote agent", () => {
  it.live("asks, unless the user has one for that name", () =>
    Effect.sync(() => {
      const rule = remoteRule("far", [])
      expect(rule).toMatchObject({
        toolName: "far",
        decision: "ask_user",
        rank: 1130,
        source: "AgentRegistry (Dynamic)"
      })
      const own = { toolName: "far", decision: "allow", rank: 4100, tier: "user", source: "x.toml:1" } as const
      expect(remoteRule("far", [own])).toBeUndefined()
      expect(remoteRule("far", rule === undefined ? [] : [rule])).toBeUndefined()
    })
  )
})
