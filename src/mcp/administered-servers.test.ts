import { expect, test } from "bun:test"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { administer, type McpControls } from "./administered-servers.ts"

const open: McpControls = { isEnabled: true, allowed: {}, required: {} }
const mine: Readonly<Record<string, McpServer>> = {
  docs: { command: "npx", args: ["d"], env: { A: "1" }, timeout: 5, trust: true, includeTools: ["a"] },
  web: { httpUrl: "https://mine/" }
}

const cases: ReadonlyArray<readonly [string, Partial<McpControls>, object, ReadonlyArray<string>]> = [
  ["nothing said", {}, mine, []],
  ["nothing may be used", { isEnabled: false, required: { r: { url: "https://r/" } } }, mine, ["docs", "web"]],
  [
    "a listed server is reached where the administrator says",
    { allowed: { docs: { url: "https://corp/", type: "http" } } },
    { docs: { url: "https://corp/", type: "http", timeout: 5, includeTools: ["a"] }, web: mine.web },
    ["web"]
  ],
  [
    "with the trust and the tools that the list gives",
    { allowed: { docs: { url: "https://corp/", trust: true, includeTools: ["b"], excludeTools: ["c"] } } },
    {
      docs: { url: "https://corp/", timeout: 5, trust: true, includeTools: ["b"], excludeTools: ["c"] },
      web: mine.web
    },
    ["web"]
  ],
  ["an entry that cannot be read allows nothing", { allowed: { docs: 5 } }, mine, ["docs", "web"]],
  [
    "a required server takes the place of one of its name, trusted unless it says otherwise",
    { required: { web: { url: "https://corp/", command: "sh" }, more: { url: "https://m/", trust: false } } },
    { docs: mine.docs, web: { url: "https://corp/", trust: true }, more: { url: "https://m/", trust: false } },
    []
  ],
  [
    "a required server need not be listed",
    { allowed: { other: {} }, required: { web: { url: "https://corp/" } } },
    { docs: mine.docs, web: { url: "https://corp/", trust: true } },
    ["docs"]
  ]
]

test.each(cases)("%s", (_, controls, servers, blocked) => {
  const result = administer(mine, { ...open, ...controls })
  expect(result.servers).toEqual(servers as typeof mine)
  expect([...result.blocked]).toEqual([...blocked])
})
