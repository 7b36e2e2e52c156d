import { expect, test } from "bun:test"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { placeOf } from "./mcp-context.ts"

test.each<[string, McpServer, object]>([
  [
    "a program, without its variables",
    { command: "npx", args: ["-y", "s"], cwd: "sub", env: { TOKEN: "t" } },
    { command: "npx", args: ["-y", "s"], cwd: "sub" }
  ],
  ["an address, without its headers", { url: "https://x/mcp", headers: { A: "b" } }, { url: "https://x/mcp" }],
  ["the address that counts", { url: "https://x/", httpUrl: "https://y/" }, { url: "https://y/" }],
  ["credentials in an address", { url: "https://me:pw@x/mcp?key=k#t" }, { url: "https://x/mcp" }],
  ["a socket", { tcp: "ws://me:pw@host:80/p" }, { tcp: "ws://host/p" }],
  ["a socket without a scheme", { tcp: "host:80" }, { tcp: "host:80" }],
  ["nothing", { oauth: { clientSecret: "s" } }, {}]
])("%s", (_, settings, place) => expect(placeOf(settings)).toEqual(place))
