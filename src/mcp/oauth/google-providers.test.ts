import { expect } from "bun:test"
import { Effect, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { make } from "../../system/http/http.ts"
import type { ServerPlan } from "../server-config.ts"
import { makeGoogleProviders } from "./google-providers.ts"

const planOf = (url: string, settings: McpServer): ServerPlan => ({
  name: "s",
  transport: { kind: "http", url, headers: {}, isGuess: false },
  timeoutMs: 1000,
  settings,
  warnings: []
})

const tokenUntil = (seconds: number) =>
  `e30.${Buffer.from(JSON.stringify({ exp: seconds })).toString("base64url")}.${seconds}`

const setUp = Effect.fnUntraced(function* (answers: ReadonlyArray<Response> = []) {
  const asked: Array<{ readonly url: string; readonly body: unknown; readonly authorization: string | null }> = []
  const scopesSeen: Array<ReadonlyArray<string>> = []
  const providers = yield* makeGoogleProviders({
    http: {
      ...make({ variables: {} }),
      exchange: async (url, request) => {
        const body: unknown = JSON.parse(String(request.body))
        asked.push({ url: String(url), body, authorization: new Headers(request.headers).get("authorization") })
        return answers[asked.length - 1] ?? new Response("no", { status: 500 })
      }
    },
    credentials: (scopes) => {
      scopesSeen.push(scopes)
      return Effect.succeed([
        ["authorization", "Bearer adc"],
        ["x-goog-user-project", "paying"]
      ])
    }
  })
  const sign = (plan: ServerPlan) => providers(plan) ?? Effect.dieMessage("not one of Google's")
  return { asked, providers, scopesSeen, sign }
})

const credentials = (scopes: ReadonlyArray<string>): McpServer => ({
  authProviderType: "google_credentials",
  oauth: { scopes }
})

it.effect("Google's own servers get the default credentials for the scopes of the settings", () =>
  Effect.gen(function* () {
    const { scopesSeen, sign } = yield* setUp()
    expect(yield* sign(planOf("https://run.googleapis.com/mcp", credentials(["a"])))).toEqual({
      headers: { authorization: "Bearer adc", "x-goog-user-project": "paying" }
    })
    expect(scopesSeen).toEqual([["a"]])
  })
)

it.effect("nobody else gets them, and scopes must be named", () =>
  Effect.gen(function* () {
    const { providers, scopesSeen, sign } = yield* setUp()
    for (const host of ["example.com", "googleapis.com.evil.com", "evilgoogleapis.com"]) {
      const refusal = yield* Effect.flip(sign(planOf(`https://${host}/`, credentials(["a"]))))
      expect(refusal.message).toContain("not one of Google's")
    }
    const bare = yield* Effect.flip(sign(planOf("https://x.googleapis.com/", credentials([]))))
    expect(bare.message).toContain("needs oauth.scopes")
    expect(providers(planOf("https://x.googleapis.com/", {}))).toBeUndefined()
    expect(scopesSeen).toEqual([])
  })
)

const acting = planOf("https://private.example/mcp", {
  authProviderType: "service_account_impersonation",
  targetAudience: "aud",
  targetServiceAccount: "bot@project.iam"
})

it.effect("an identity token of a service account is asked for once, and again before it expires", () =>
  Effect.gen(function* () {
    const { asked, sign } = yield* setUp([
      Response.json({ token: tokenUntil(3600) }),
      Response.json({ token: tokenUntil(7200) })
    ])
    const first = { headers: { authorization: `Bearer ${tokenUntil(3600)}` } }
    expect(yield* sign(acting)).toEqual(first)
    yield* TestClock.adjust("54 minutes")
    expect(yield* sign(acting)).toEqual(first)
    yield* TestClock.adjust("2 minutes")
    expect(yield* sign(acting)).toEqual({ headers: { authorization: `Bearer ${tokenUntil(7200)}` } })
    expect(asked).toHaveLength(2)
    expect(asked[0]).toEqual({
      url: "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/bot%40project.iam:generateIdToken",
      body: { audience: "aud", includeEmail: true },
      authorization: "Bearer adc"
    })
  })
)

it.effect("a refusal names the account, and missing fields are named before anything is asked", () =>
  Effect.gen(function* () {
    const { asked, sign } = yield* setUp()
    expect((yield* Effect.flip(sign(acting))).message).toContain("no identity token for bot@project.iam (status 500)")
    const { targetAudience: _, ...without } = acting.settings
    expect((yield* Effect.flip(sign({ ...acting, settings: without }))).message).toContain("targetAudience")
    expect(asked).toHaveLength(1)
  })
)
