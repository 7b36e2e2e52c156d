import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { joinExtensionServers, mergeServer } from "./extension-servers.ts"

const extension = (name: string, mcpServers: Readonly<Record<string, unknown>>, environment = {}) => ({
  name,
  mcpServers,
  environment
})

test.each<[string, McpServer, McpServer, McpServer]>([
  ["nothing said", { command: "c", args: ["a"] }, {}, { command: "c", args: ["a"] }],
  ["a field of the user's", { command: "c", timeout: 1 }, { timeout: 2 }, { command: "c", timeout: 2 }],
  ["trust is the user's to give", { command: "c" }, { trust: true }, { command: "c", trust: true }],
  [
    "variables one by one",
    { command: "c", env: { A: "1", B: "1" } },
    { env: { B: "2", C: "2" } },
    { command: "c", env: { A: "1", B: "2", C: "2" } }
  ],
  [
    "tools that both include",
    { command: "c", includeTools: ["a", "b"] },
    { includeTools: ["b", "c"] },
    { command: "c", includeTools: ["b"] }
  ],
  [
    "tools that nobody includes together: none",
    { command: "c", includeTools: ["a"] },
    { includeTools: ["c"] },
    { command: "c", includeTools: [] }
  ],
  ["tools that one includes", { command: "c" }, { includeTools: ["c"] }, { command: "c", includeTools: ["c"] }],
  [
    "tools that either excludes",
    { command: "c", excludeTools: ["a", "b"] },
    { excludeTools: ["b", "c"] },
    { command: "c", excludeTools: ["a", "b", "c"] }
  ]
])("%s", (_, brought, own, expected) => expect(mergeServer(brought, own)).toEqual(expected))

test("a merge never offers a tool that one of the two keeps back", () => {
  const names = fc.subarray(["a", "b", "c", "d"])
  const filter = fc.record({ includeTools: names, excludeTools: names }, { requiredKeys: [] })
  const offers = ({ excludeTools = [], includeTools }: McpServer, name: string) =>
    !excludeTools.includes(name) && (includeTools === undefined || includeTools.includes(name))
  fc.assert(
    fc.property(filter, filter, fc.constantFrom("a", "b", "c", "d"), (brought, own, name) => {
      expect(offers(mergeServer(brought, own), name)).toBe(offers(brought, name) && offers(own, name))
    })
  )
})

test("servers stand behind those of the settings, with the values of their extension", () => {
  const { origins, servers, warnings } = joinExtensionServers({ mine: { command: "m" }, docs: { timeout: 5 } }, [
    extension("one", { docs: { command: "d", trust: true }, more: { url: "https://x" } }, { KEY: "v" })
  ])
  expect(Object.entries(servers)).toEqual([
    ["mine", { command: "m" }],
    ["docs", { command: "d", timeout: 5 }],
    ["more", { url: "https://x" }]
  ])
  const origin = { extension: "one", environment: { KEY: "v" } }
  expect(origins).toEqual({ docs: origin, more: origin })
  expect(warnings).toEqual([])
})

test("the first of two extensions counts, and a server that cannot be read costs nothing else", () => {
  const { servers, warnings } = joinExtensionServers({}, [
    extension("one", { docs: { command: "1" } }),
    extension("two", { docs: { command: "2" }, bad: { command: 5 }, good: { command: "g" } })
  ])
  expect(servers).toEqual({ docs: { command: "1" }, good: { command: "g" } })
  expect(warnings).toEqual([
    'extension "two": its MCP server "docs" is left out: extension "one" brings one of that name',
    'extension "two": its MCP server "bad" is left out: its settings are not those of an MCP server'
  ])
})
