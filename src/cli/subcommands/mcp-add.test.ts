import { expect, test } from "bun:test"
import { Either } from "effect"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { mcp } from "../subcommand-table/extending.ts"
import { serverOf } from "./mcp-add.ts"
import { readAddArguments } from "./mcp-add-arguments.ts"

const rows = mcp.verbs.find(({ name }) => name === "add")?.options ?? []
const read = (...argv: ReadonlyArray<string>) => Either.flatMap(readAddArguments(rows, argv), serverOf)

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
])("%j", (argv, server) => expect(Either.getOrThrow(read(...argv))).toEqual(server))

test.each<[ReadonlyArray<string>, string]>([
  [[], "A name for the server is missing"],
  [["docs"], 'The command or url of "docs" is missing'],
  [["docs", "c", "--timeout"], "--timeout needs a value"],
  [["docs", "c", "--timeout", "soon"], '--timeout cannot be "soon"'],
  [["docs", "c", "-e", "A"], '--env cannot be "A"'],
  [["docs", "c", "-t", "udp"], '--transport cannot be "udp"'],
  [["-t", "http", "docs", "npx"], '"npx" is no url']
])("%j is refused", (argv, message) => expect(Either.getOrThrow(Either.flip(read(...argv))).message).toBe(message))
