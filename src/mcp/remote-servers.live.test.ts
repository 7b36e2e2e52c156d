/** Remote servers that refuse, vanish, forget or cannot be trusted. */

import { afterAll, expect } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { it } from "../../test/kit/it.ts"
import { openAdmission } from "../../test/kit/open-admission.ts"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { make as makeHttp } from "../system/http/http.ts"
import { layer } from "./mcp-hub.live.ts"
import { McpHub } from "./mcp-hub.ts"
import * as OrphanGuard from "./orphan-guard.ts"
import * as ServerAuth from "./server-auth.ts"

const withServers = (
  servers: Readonly<Record<string, McpServer>>,
  auth: Layer.Layer<ServerAuth.ServerAuth> = ServerAuth.layerNone
) =>
  Effect.provide(
    layer({
      servers,
      surroundings: {
        environment: { variables: { KEY: "sesame" }, cwd: "/", home: "/", platform: "linux" },
        redaction: { allowed: [], blocked: [] },
        trust: "trusted"
      },
      rules: openAdmission,
      http: makeHttp({ variables: {} }),
      version: "1",
      roots: Effect.succeed([]),
      notice: () => Effect.void
    }).pipe(Layer.provide(Layer.merge(OrphanGuard.layerNone, auth)))
  )

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string }
}

interface Seen {
  readonly method: string
  readonly rpc: string | undefined
  readonly headers: Headers
}

/** A server of the streamable kind: every request is answered by one document. `refuse` may answer first. */
const serve = (refuse: (seen: Seen, index: number) => Response | undefined = () => undefined, tls?: object) => {
  const seen: Array<Seen> = []
  let sessions = 0
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    ...tls,
    fetch: async (request) => {
      const message: Message = request.method === "POST" ? JSON.parse(await request.text()) : { method: "" }
      const one = { method: request.method, rpc: message.method, headers: request.headers }
      seen.push(one)
      const refused = refuse(one, seen.length - 1)
      if (refused !== undefined) return refused
      if (request.method !== "POST") return new Response(null, { status: request.method === "GET" ? 404 : 200 })
      if (message.id === undefined) return new Response(null, { status: 202 })
      const result = resultOf(message)
      if (message.method === "initialize") sessions += 1
      return Response.json(
        { jsonrpc: "2.0", id: message.id, result },
        { headers: message.method === "initialize" ? { "mcp-session-id": `session-${sessions}` } : {} }
      )
    }
  })
  afterAll(() => server.stop(true))
  return { url: `${server.url.origin}/mcp`, seen, stop: () => server.stop(true) }
}

const resultOf = ({ method, params }: Message) => {
  if (method === "initialize") {
    return {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" }
    }
  }
  return method === "tools/list"
    ? { tools: [{ name: "x", inputSchema: { type: "object" } }] }
    : { content: [{ type: "text", text: "ok" }] }
}

const views = Effect.flatMap(McpHub, (hub) => Effect.zipRight(hub.settled, hub.servers))
const call = Effect.flatMap(McpHub, (hub) =>
  hub.callTool({ server: "s", tool: "x", args: {}, onProgress: () => Effect.void })
)

const plain = serve()

it.live("headers of the settings are sent with variables expanded, and the session is ended", () =>
  Effect.gen(function* () {
    yield* Effect.zipRight(views, call).pipe(
      withServers({ s: { url: plain.url, headers: { "X-Key": "Bearer $KEY" } } })
    )
    expect(plain.seen.every(({ headers }) => headers.get("x-key") === "Bearer sesame")).toBe(true)
    expect(plain.seen.at(-1)).toMatchObject({ method: "DELETE" })
    expect(plain.seen.at(-1)?.headers.get("mcp-session-id")).toBe("session-1")
  })
)

const status = (code: number, headers = {}) => serve(() => new Response("no", { status: code, headers }))
const [needsLogin, forbids, broken] = [
  status(401, { "www-authenticate": 'Bearer resource_metadata="http://x/meta"' }),
  status(403),
  status(500)
]

it.live("refusals are told apart, in one line each", () =>
  Effect.gen(function* () {
    const states = yield* views.pipe(
      withServers({
        login: { url: needsLogin.url },
        forbids: { url: forbids.url },
        broken: { url: broken.url, type: "http" },
        away: { url: "http://127.0.0.1:9/mcp" },
        noise: {
          url: serve(() => new Response("<html>hello</html>", { headers: { "content-type": "text/html" } })).url
        }
      })
    )
    expect(states.map(({ error }) => [error?.kind, error?.status])).toEqual([
      ["unauthorized", 401],
      ["forbidden", 403],
      ["http", 500],
      ["network", undefined],
      ["protocol", undefined]
    ])
    expect(states[0]?.error?.challenge).toContain("resource_metadata")
    expect(states[0]?.error?.message).toBe('MCP server "login" asks for a login (401). Run: gemini mcp login login')
    // A refused login is no reason to try the other transport; anything else is.
    expect(needsLogin.seen.map(({ method }) => method)).toEqual(["POST"])
    expect(forbids.seen.map(({ method }) => method)).toEqual(["POST", "GET"])
  })
)

const guarded = serve(({ headers }) =>
  headers.get("authorization") === "Bearer fresh" ? undefined : new Response(null, { status: 401 })
)
let token = "stale"
const renewing = Layer.succeed(ServerAuth.ServerAuth, {
  sign: () => Effect.sync(() => ({ headers: { authorization: `Bearer ${token}` } })),
  renew: () =>
    Effect.sync(() => {
      token = "fresh"
      return true
    }),
  logIn: () => Effect.void
})

it.live("a login that is refused is renewed once", () =>
  Effect.gen(function* () {
    expect((yield* views).map(({ status: state }) => state)).toEqual(["connected"])
    expect(yield* call).toMatchObject({ content: [{ text: "ok" }] })
  }).pipe(withServers({ s: { url: guarded.url } }, renewing))
)

const forgetful = serve(({ headers, rpc }) =>
  rpc === "tools/call" && headers.get("mcp-session-id") === "session-1"
    ? new Response("gone", { status: 404 })
    : undefined
)

it.live("a server that forgot the session gets a new one, and the call is made", () =>
  Effect.gen(function* () {
    yield* views
    expect(yield* call).toMatchObject({ content: [{ text: "ok" }] })
  }).pipe(withServers({ s: { url: forgetful.url } }))
)

const folder = mkdtempSync(join(tmpdir(), "mcp-tls-"))
const selfSigned = () => {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")]
  Bun.spawnSync([
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    key,
    "-out",
    cert,
    "-days",
    "1",
    "-subj",
    "/CN=127.0.0.1"
  ])
  return { tls: { key: Bun.file(key), cert: Bun.file(cert) } }
}
const secure = serve(undefined, selfSigned())

it.live("a certificate that nobody vouches for is named", () =>
  Effect.gen(function* () {
    const [state] = yield* views.pipe(withServers({ s: { url: secure.url, type: "http" } }))
    expect(state?.error?.message).toContain("its certificate is not trusted")
    expect(secure.seen).toEqual([])
    rmSync(folder, { recursive: true })
  })
)

/** The same server behind a socket, where every message stands alone. */
const socket = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request, server) =>
    server.upgrade(request, { headers: { "sec-websocket-protocol": "mcp" } })
      ? undefined
      : new Response(null, { status: 426 }),
  websocket: {
    message: (peer, data) => {
      const message: Message = JSON.parse(String(data))
      if (message.id !== undefined)
        peer.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultOf(message) }))
    }
  }
})
afterAll(() => socket.stop(true))

it.live("a server behind a socket is listed and called; one that is not there is named", () =>
  Effect.gen(function* () {
    const states = yield* views.pipe(
      Effect.zipLeft(call),
      withServers({ s: { tcp: `127.0.0.1:${socket.port}` }, gone: { tcp: "127.0.0.1:9" } })
    )
    expect(states.map(({ name, status, transport }) => [name, status, transport])).toEqual([
      ["s", "connected", "ws"],
      ["gone", "disconnected", "ws"]
    ])
    expect(states[1]?.error?.message).toContain('MCP server "gone"')
  })
)
