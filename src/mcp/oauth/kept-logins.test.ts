import { expect } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { it } from "../../../test/kit/it.ts"
import { type OAuthServer, type OAuthServerOptions, startOAuthServer } from "../../../test/kit/oauth-server.ts"
import { Credentials, make as makeCredentials } from "../../auth/credentials.ts"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { make } from "../../system/http/http.ts"
import { McpError } from "../mcp-error.ts"
import type { ServerPlan } from "../server-config.ts"
import { type LoginDialogue, makeKeptLogins } from "./kept-logins.ts"
import { LoginStore, layer } from "./login-store.ts"

const REFUSAL = new McpError({ server: "s", kind: "unauthorized", detail: "answered 401", status: 401 })

const planFor = (url: string, oauth: McpServer["oauth"] = { enabled: true }): ServerPlan => ({
  name: "s",
  transport: { kind: "http", url: `${url}/mcp`, headers: {}, isGuess: false },
  timeoutMs: 1000,
  settings: { url: `${url}/mcp`, ...(oauth === undefined ? {} : { oauth }) },
  warnings: []
})

/** In a home of its own, without a key store of the system. */
const loginsIn = (folder: string, said: Array<string> = []) =>
  layer({
    plainFile: join(folder, ".gemini/mcp-oauth-tokens.json"),
    namesFile: join(folder, ".gemini/mcp-logins.json"),
    service: "gemini-cli-oauth",
    alwaysAsks: false,
    say: (line) => Effect.sync(() => void said.push(line))
  }).pipe(Layer.provide(Layer.sync(Credentials, () => makeCredentials({ home: folder, fileOnly: true }))))

const room = (options: OAuthServerOptions = {}, dialogue?: (server: OAuthServer) => LoginDialogue | undefined) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => startOAuthServer(options)),
      (running) => Effect.sync(() => running[Symbol.dispose]())
    )
    const home = mkdtempSync(join(tmpdir(), "logins-"))
    const store = loginsIn(home)
    const logins = yield* makeKeptLogins({
      http: make({ variables: {} }),
      dialogue: dialogue === undefined ? visiting(server) : dialogue(server),
      variable: () => undefined
    }).pipe(Effect.provide(store))
    return { server, home, logins, store: yield* Effect.provide(LoginStore, store), plan: planFor(server.url) }
  })

const visiting = (server: OAuthServer): LoginDialogue => ({
  tell: () => Effect.void,
  open: (page) => Effect.asVoid(Effect.promise(() => server.visit(page))),
  pasted: Effect.never
})

it.live("a refusal leads to a login: described, registered, agreed to, redeemed, kept", () =>
  Effect.gen(function* () {
    const { home, logins, plan, server, store } = yield* room()
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
    expect(statSync(join(home, ".gemini/gemini-credentials.json")).mode & 0o777).toBe(0o600)
    expect(yield* store.find("s")).toMatchObject({
      value: { serverName: "s", token: { accessToken: "token-1", refreshToken: "refresh-1" }, clientId: "client-1" }
    })
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

it.live("a login is enciphered, and forgotten", () =>
  Effect.gen(function* () {
    const home = mkdtempSync(join(tmpdir(), "logins-"))
    const store = yield* Effect.provide(LoginStore, loginsIn(home))
    const login = { serverName: "a/b", token: { accessToken: "hunter2", tokenType: "Bearer" }, updatedAt: 1 }
    yield* store.keep(login)
    expect(yield* store.find("a/b")).toEqual(Option.some(login))
    expect(yield* store.find("a_b")).toEqual(Option.none())
    expect(readFileSync(join(home, ".gemini/gemini-credentials.json"), "utf8")).not.toContain("hunter2")
    expect(readFileSync(join(home, ".gemini/mcp-logins.json"), "utf8")).toBe('[\n  "a/b"\n]\n')
    expect(yield* store.forget("a/b")).toBe(true)
    expect(yield* store.forget("a/b")).toBe(false)
  })
)

const PLAIN = ["one", "two"].map((serverName) => ({
  serverName,
  token: { accessToken: `hunter-${serverName}`, tokenType: "Bearer" },
  updatedAt: 1
}))

const withPlain = (content: string) =>
  Effect.gen(function* () {
    const home = mkdtempSync(join(tmpdir(), "logins-"))
    const plain = join(home, ".gemini/mcp-oauth-tokens.json")
    mkdirSync(join(home, ".gemini"))
    writeFileSync(plain, content)
    const said: Array<string> = []
    return { home, plain, said, store: yield* Effect.provide(LoginStore, loginsIn(home, said)) }
  })

it.live("logins in plain text are read, move with the first one that is kept, and that is said once", () =>
  Effect.gen(function* () {
    const { home, plain, said, store } = yield* withPlain(JSON.stringify(PLAIN))
    expect(yield* store.find("two")).toEqual(Option.fromNullable(PLAIN[1]))
    expect([existsSync(plain), said]).toEqual([true, []])
    const renewed = {
      ...PLAIN[0],
      serverName: "one",
      token: { accessToken: "hunter-new", tokenType: "Bearer" },
      updatedAt: 2
    }
    const kept = join(home, ".gemini/gemini-credentials.json")
    expect(yield* store.keep(renewed)).toEqual({ _tag: "File", file: kept })
    yield* store.keep(renewed)
    expect(existsSync(plain)).toBe(false)
    expect(said).toEqual([`Logins are kept in ${kept} from now on; ${plain}, where they stood in plain text, is gone.`])
    expect(yield* store.find("one")).toEqual(Option.some(renewed))
    expect(yield* store.find("two")).toEqual(Option.fromNullable(PLAIN[1]))
  })
)

it.live("a plain file loses one login that is forgotten; a damaged one is named and stays", () =>
  Effect.gen(function* () {
    const { plain, store } = yield* withPlain(JSON.stringify(PLAIN))
    expect(yield* store.forget("one")).toBe(true)
    expect(readFileSync(plain, "utf8")).not.toContain("hunter-one")
    const damaged = yield* withPlain("[{")
    const [login] = PLAIN
    for (const done of [damaged.store.find("one"), login === undefined ? Effect.void : damaged.store.keep(login)]) {
      expect((yield* Effect.flip(Effect.asVoid(done))).message).toContain("mcp-oauth-tokens.json")
    }
    expect(readFileSync(damaged.plain, "utf8")).toBe("[{")
  })
)

it.live("a server cannot be named so that it gets the sign-in with Google", () =>
  Effect.gen(function* () {
    const home = mkdtempSync(join(tmpdir(), "logins-"))
    const credentials = makeCredentials({ home, fileOnly: true })
    const login = { serverName: "main-account", token: { accessToken: "of-google", tokenType: "Bearer" }, updatedAt: 1 }
    yield* credentials.keep({ service: "gemini-cli-oauth", account: "main-account" }, JSON.stringify(login))
    const store = yield* Effect.provide(LoginStore, loginsIn(home))
    writeFileSync(join(home, ".gemini/mcp-logins.json"), '["main-account"]')
    expect(yield* store.find("main-account")).toEqual(Option.none())
  })
)
