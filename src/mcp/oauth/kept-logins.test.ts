import { expect } from "bun:test"
import { mkdtempSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { it } from "../../../test/kit/it.ts"
import { type OAuthServer, type OAuthServerOptions, startOAuthServer } from "../../../test/kit/oauth-server.ts"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { make } from "../../system/http/http.ts"
import { McpError } from "../mcp-error.ts"
import type { ServerPlan } from "../server-config.ts"
import { makeKeptLogins } from "./kept-logins.ts"
import type { LoginDialogue } from "./login.ts"
import { LoginStore, layerFile, layerKeyStore } from "./login-store.ts"

const REFUSAL = new McpError({ server: "s", kind: "unauthorized", detail: "answered 401", status: 401 })

const planFor = (url: string, oauth: McpServer["oauth"] = { enabled: true }): ServerPlan => ({
  name: "s",
  transport: { kind: "http", url: `${url}/mcp`, headers: {}, isGuess: false },
  timeoutMs: 1000,
  settings: { url: `${url}/mcp`, ...(oauth === undefined ? {} : { oauth }) },
  warnings: []
})

const room = (options: OAuthServerOptions = {}, dialogue?: (server: OAuthServer) => LoginDialogue | undefined) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => startOAuthServer(options)),
      (running) => Effect.sync(() => running[Symbol.dispose]())
    )
    const file = join(mkdtempSync(join(tmpdir(), "logins-")), ".gemini", "mcp-oauth-tokens.json")
    const store = layerFile(file)
    const logins = yield* makeKeptLogins({
      http: make({ variables: {} }),
      dialogue: dialogue === undefined ? visiting(server) : dialogue(server),
      variable: () => undefined
    }).pipe(Effect.provide(store))
    return { server, file, logins, store: yield* Effect.provide(LoginStore, store), plan: planFor(server.url) }
  })

const visiting = (server: OAuthServer): LoginDialogue => ({
  tell: () => Effect.void,
  open: (page) => Effect.asVoid(Effect.promise(() => server.visit(page))),
  pasted: Effect.never
})

it.live("a refusal leads to a login: described, registered, agreed to, redeemed, kept", () =>
  Effect.gen(function* () {
    const { file, logins, plan, server } = yield* room()
    expect(yield* logins.sign(plan)).toEqual({ headers: {} })
    expect(yield* logins.renew(plan, REFUSAL)).toBe(true)
    const { headers } = yield* logins.sign(plan)
    expect(server.accepts(headers.authorization ?? null)).toBe(true)
    expect(server.registrations[0]).toMatchObject({
      client_name: "Gemini CLI MCP Client",
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
      scope: "read write"
    })
    expect(server.tokenRequests[0]).toMatchObject({ resource: `${server.url}/mcp`, client_id: "client-1" })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject([
      { serverName: "s", token: { accessToken: "token-1", refreshToken: "refresh-1" }, clientId: "client-1" }
    ])
  })
)

it.live("a token that is about to expire is renewed before it is used", () =>
  Effect.gen(function* () {
    const { logins, plan, server } = yield* room({ expiresIn: 60 })
    yield* logins.renew(plan, REFUSAL)
    expect((yield* logins.sign(plan)).headers.authorization).toBe("Bearer token-2")
    expect(server.tokenRequests[1]).toMatchObject({ grant_type: "refresh_token", refresh_token: "refresh-1" })
  })
)

it.live("a token that the server took back is renewed without a person", () =>
  Effect.gen(function* () {
    const { logins, plan, server } = yield* room()
    yield* logins.renew(plan, REFUSAL)
    server.revoke()
    expect(yield* logins.renew(plan, REFUSAL)).toBe(true)
    expect(server.accepts((yield* logins.sign(plan)).headers.authorization ?? null)).toBe(true)
    expect(server.registrations.length).toBe(1)
  })
)

it.live("where nobody can log in, the error says how; a login that cannot be renewed is forgotten", () =>
  Effect.gen(function* () {
    const first = yield* room({}, () => undefined)
    const error = yield* Effect.flip(first.logins.renew(first.plan, REFUSAL))
    expect(error.message).toBe('MCP server "s" wants a login. Run "gemini mcp login s", or /mcp auth s in a chat.')
    yield* first.logins.logIn(first.plan, visiting(first.server))
    first.server.refuseRefresh()
    const again = yield* Effect.flip(first.logins.renew(first.plan, REFUSAL))
    expect(again.detail).toBe("does not accept the login that is kept for it any more")
    expect(Option.isNone(yield* first.store.find("s"))).toBe(true)
  })
)

it.live("a pasted address of the last page serves in place of the browser", () =>
  Effect.gen(function* () {
    let shown = ""
    const { logins, plan } = yield* room({ formAnswers: true }, () => ({
      tell: () => Effect.void,
      open: (page) =>
        Effect.sync(() => {
          shown = page
        }),
      pasted: Effect.promise(async () => {
        const answer = await fetch(shown, { redirect: "manual" })
        return answer.headers.get("location") ?? ""
      })
    }))
    expect(yield* logins.renew(plan, REFUSAL)).toBe(true)
    expect((yield* logins.sign(plan)).headers.authorization).toBe("Bearer token-1")
  })
)

it.live("a description for another server is refused", () =>
  Effect.gen(function* () {
    const { logins, plan, server } = yield* room({ resource: "https://elsewhere/mcp" })
    const error = yield* Effect.flip(logins.renew(plan, REFUSAL))
    expect(error.detail).toBe(`describes a login for https://elsewhere/mcp, which is not ${server.url}/mcp`)
  })
)

it.live("a server cannot have the browser open what is not on the web, nor have us ask there", () =>
  Effect.gen(function* () {
    const opened: Array<string> = []
    const watching = (): LoginDialogue => ({
      tell: () => Effect.void,
      open: (page) => Effect.sync(() => void opened.push(page)),
      pasted: Effect.never
    })
    for (const place of ["file:///etc/passwd", "javascript:alert(1)", "ms-msdt:/id", "not an address", "$(touch x)"]) {
      for (const name of ["authorization_endpoint", "token_endpoint", "registration_endpoint"]) {
        const { logins, plan } = yield* room({ describes: { [name]: place } }, watching)
        const error = yield* Effect.flip(logins.renew(plan, REFUSAL))
        expect([name, error.detail]).toEqual([
          name,
          `describes a login at ${place}, where a server of this kind must not send anybody`
        ])
      }
      const { logins, server } = yield* room({}, watching)
      const own = { enabled: true, authorizationUrl: place, tokenUrl: `${server.url}/token`, clientId: "c" }
      const error = yield* Effect.flip(logins.renew(planFor(server.url, own), REFUSAL))
      expect(error.detail).toBe(`has no login page on the web: ${place}`)
    }
    expect(opened).toEqual([])
  })
)

it.live("answers of another login are refused, and this one goes on", () =>
  Effect.gen(function* () {
    const refused: Array<number> = []
    const told: Array<string> = []
    const { logins, plan, server } = yield* room({}, (running) => ({
      tell: (line) => Effect.sync(() => void told.push(line)),
      open: (page) =>
        Effect.promise(async () => {
          const back = new URL(new URL(page).searchParams.get("redirect_uri") ?? "")
          for (const forged of [
            "code=stolen&state=other",
            "error=access_denied",
            "error=x&error_description=y&state="
          ]) {
            refused.push((await fetch(`${back}?${forged}`)).status)
          }
          await running.visit(page)
        }),
      pasted: Effect.never
    }))
    expect(yield* logins.renew(plan, REFUSAL)).toBe(true)
    expect(refused).toEqual([400, 400, 400])
    expect(server.tokenRequests).toMatchObject([{ code: "code-1" }])
    expect(told.at(-1)).toContain("does not belong to this login")
  })
)

it.live("a token cannot be had from what is no address", () =>
  Effect.gen(function* () {
    const { logins, server } = yield* room()
    const own = {
      enabled: true,
      authorizationUrl: `${server.url}/authorize`,
      tokenUrl: "nowhere",
      clientId: "client-1",
      audiences: ["a", "b"]
    }
    const error = yield* Effect.flip(logins.renew(planFor(server.url, own), REFUSAL))
    expect(error.detail).toBe("gives no token: nowhere is not an address of the web")
  })
)

it.live("the token also stands in the address where the settings name a parameter for it", () =>
  Effect.gen(function* () {
    const { logins, plan, server } = yield* room()
    yield* logins.renew(plan, REFUSAL)
    expect(yield* logins.sign(planFor(server.url, { enabled: true, tokenParamName: "access" }))).toEqual({
      headers: { authorization: "Bearer token-1" },
      query: { name: "access", value: "token-1" }
    })
  })
)

it.live("a login is not sent to a server that took over the name", () =>
  Effect.gen(function* () {
    const { logins, plan } = yield* room()
    yield* logins.renew(plan, REFUSAL)
    expect(yield* logins.sign(planFor("http://other.example"))).toEqual({ headers: {} })
  })
)

it.live("the encrypted file keeps a login that nobody can read in it, and forgets it", () =>
  Effect.gen(function* () {
    const home = mkdtempSync(join(tmpdir(), "logins-"))
    const store = yield* Effect.provide(LoginStore, layerKeyStore({ home, fileOnly: true }))
    const login = { serverName: "a/b", token: { accessToken: "hunter2", tokenType: "Bearer" }, updatedAt: 1 }
    yield* store.keep(login)
    expect(yield* store.find("a/b")).toEqual(Option.some(login))
    expect(readFileSync(join(home, ".gemini", "gemini-credentials.json"), "utf8")).not.toContain("hunter2")
    expect(yield* store.forget("a/b")).toBe(true)
    expect(yield* store.forget("a/b")).toBe(false)
  })
)
