import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { runIn } from "../../../test/kit/sub-command.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"

/** What was written and said. */
const added = (...argv: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "home/.gemini/settings.json": "{}" })
    const { code, err } = yield* runIn(root, ["mcp", "add", "--scope", "user", ...argv])
    const { mcpServers = {} } = JSON.parse(readFileSync(join(root, "home/.gemini/settings.json"), "utf8"))
    return { code, err, servers: mcpServers as Readonly<Record<string, McpServer>> }
  }).pipe(Effect.scoped, Effect.runPromise)

test.each<[ReadonlyArray<string>, McpServer]>([
  [["docs", "npx", "-y", "server", "--port", "80"], { command: "npx", args: ["-y", "server", "--port", "80"] }],
  [["docs", "node", "--", "a.js", "--timeout", "5"], { command: "node", args: ["a.js", "--timeout", "5"] }],
  [["-e", "A=1=2", "docs", "c", "-eB=x,y", "--env", "C="], { command: "c", env: { A: "1=2", B: "x,y", C: "" } }],
  [
    ["-t", "http", "-H", "Authorization: Bearer a:b", "docs", "https://x/y"],
    { url: "https://x/y", type: "http", headers: { Authorization: "Bearer a:b" } }
  ],
  [["--type=sse", "docs", "http://x"], { url: "http://x", type: "sse" }],
  [
    [
      "docs",
      "c",
      "--timeout",
      "500",
      "--trust",
      "--description",
      "for docs",
      "--includeTools",
      "a, b",
      "--exclude-tools=c"
    ],
    { command: "c", timeout: 500, trust: true, description: "for docs", includeTools: ["a", "b"], excludeTools: ["c"] }
  ]
])("%j", async (argv, docs) => expect(await added(...argv)).toEqual({ code: 0, err: "", servers: { docs } }))

test.each<[ReadonlyArray<string>, string]>([
  [[], "Missing argument <name>"],
  [["docs"], "Missing argument <commandOrUrl>"],
  [["", "c"], "A name for the server is missing"],
  [["docs", "c", "--timeout"], "--timeout needs a value"],
  [["docs", "c", "--timeout", "soon"], '--timeout cannot be "soon"'],
  [["docs", "c", "-e", "A"], '--env cannot be "A"'],
  [["docs", "c", "-t", "udp"], '--transport cannot be "udp"'],
  [["-t", "http", "docs", "npx"], '"npx" is no url']
])("%j is refused", async (argv, message) =>
  expect(await added(...argv)).toEqual({ code: 1, err: expect.stringContaining(`error: ${message}`), servers: {} })
)
