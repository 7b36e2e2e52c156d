import { expect, test } from "bun:test"
import { Either } from "effect"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { isChangeOnly, planServer, type ServerSurroundings, shownTarget } from "./server-config.ts"

const around: ServerSurroundings = {
  environment: {
    variables: { HOME: "/home/me", PORT: "80", SECRET_TOKEN: "s3same" },
    cwd: "/work",
    home: "/home/me",
    platform: "linux"
  },
  redaction: { allowed: [], blocked: [] },
  trust: "trusted"
}
const plan = (settings: McpServer, more: Partial<ServerSurroundings> = {}) =>
  planServer("s", settings, { ...around, ...more })
const way = (settings: McpServer, more: Partial<ServerSurroundings> = {}) =>
  Either.getOrThrow(plan(settings, more)).transport

test.each<[string, McpServer, object]>([
  ["a url is taken for http", { url: "http://x/" }, { kind: "http", isGuess: true, headers: {} }],
  ["unless it says what it is", { url: "http://x/", type: "sse" }, { kind: "sse", isGuess: false }],
  [
    "httpUrl wins",
    { url: "http://x/", type: "sse", httpUrl: "http://y/" },
    { kind: "http", url: "http://y/", isGuess: false }
  ],
  ["a url wins over a command", { url: "http://x/", command: "c" }, { kind: "http" }],
  ["variables in a url", { url: "http://x:$PORT/" }, { url: "http://x:80/" }],
  [
    "headers",
    { url: "http://x/", headers: { A: "Bearer $SECRET_TOKEN", B: "$NONE" } },
    { headers: { A: "Bearer s3same", B: "" } }
  ],
  ["tcp", { tcp: "localhost:$PORT" }, { kind: "ws", url: "ws://localhost:80" }],
  [
    "a command",
    { command: "c", args: ["$HOME", "$NONE"] },
    { kind: "stdio", args: ["/home/me", "$NONE"], cwd: "/work" }
  ],
  ["a folder below the working one", { command: "c", cwd: "sub" }, { cwd: "/work/sub" }]
])("%s", (_, settings, expected) => expect(way(settings)).toMatchObject(expected))

test("a command in a folder that is not trusted starts elsewhere", () =>
  expect(way({ command: "npx", args: ["server"] }, { trust: "untrusted" })).toMatchObject({ cwd: "/home/me" }))

test.each<[string, McpServer, string]>([
  ["nothing", {}, "has no command, url or httpUrl"],
  ["a misspelt field", { "httpUrl ": "http://x" }, 'its field "httpUrl " is not known (did you mean httpUrl?)'],
  ["no url", { url: "localhost:80" }, "has a url that is none"],
  ["an empty command", { command: " " }, "has an empty command"],
  ["a url of a program", { url: "http://x", type: "stdio" }, "its type is stdio"]
])("%s is refused", (_, settings, detail) =>
  expect(Either.getOrThrow(Either.flip(plan(settings))).message).toContain(detail)
)

test("a field that nobody knows is named, and the server starts", () => {
  const { timeoutMs, warnings } = Either.getOrThrow(plan({ command: "c", timeOut: 5, disabled: false }))
  expect(warnings).toEqual(['the field "timeOut" is not known (did you mean timeout?)'])
  expect(timeoutMs).toBe(600_000)
})

test("a server of an extension sees the values of its settings", () => {
  const origin = { extension: "e", environment: { PORT: "90", API_KEY: "k" } }
  expect(way({ url: "http://x:$PORT/", headers: { A: "$API_KEY" } }, { origin })).toMatchObject({
    url: "http://x:90/",
    headers: { A: "k" }
  })
  expect(way({ command: "c", args: ["$PORT"] }, { origin })).toMatchObject({
    args: ["90"],
    env: { HOME: "/home/me", PORT: "90", API_KEY: "k" }
  })
})

test.each<[string, McpServer, boolean]>([
  ["filters of tools", { includeTools: ["a"] }, true],
  ["a command", { command: "c", includeTools: ["a"] }, false],
  ["nothing", {}, false],
  ["a misspelt address", { "httpUrl ": "http://x", timeout: 5 }, false]
])("%s may be meant for the server of an extension", (_, settings, expected) =>
  expect(isChangeOnly(settings)).toBe(expected)
)

test.each<[McpServer, string]>([
  [
    { httpUrl: "https://me:secret@x.example/mcp?key=hidden&v=1" },
    "https://(hidden)@x.example/mcp?key=(hidden)&v=(hidden)"
  ],
  [{ url: "http://x.example/mcp" }, "http://x.example/mcp"],
  [{ command: "npx", args: ["-y", "docs"] }, "npx -y docs"],
  [{ command: "npx", args: ["docs", "--api-key", "mine is hidden"] }, "npx docs --api-key (hidden)"]
])("lists show %j without credentials", (server, shown) => {
  expect(shownTarget(server)).toBe(shown)
})
