import { expect, test } from "bun:test"
import { serverView } from "../../test/kit/server-view.ts"
import type { PolicyRule, RuleConditions } from "../policy/rule.ts"
import { misnamedRules } from "./server-rules.ts"

const view = serverView("my_docs", {
  tools: ["search", "read"].map((name) => ({
    server: "my_docs",
    name,
    description: "",
    inputSchema: {},
    annotations: {}
  }))
})
const rule = (conditions: RuleConditions): PolicyRule => ({
  ...conditions,
  decision: "allow",
  rank: 4000,
  tier: "user",
  source: "a.toml:3"
})

test.each<[RuleConditions, ReadonlyArray<string>]>([
  [{ toolName: "mcp_my_docs_search" }, []],
  [{ toolName: "mcp_my_docs_*" }, []],
  [{ toolName: "search", mcpName: "my_docs" }, []],
  [{ toolName: "mcp_other_serch" }, []],
  [{ toolName: "serch", mcpName: "other" }, []],
  [{ toolName: "read_file" }, []],
  [
    { toolName: "mcp_my_docs_serch" },
    [
      'policy: a rule names mcp_my_docs_serch (a.toml:3), which MCP server "my_docs" does not offer; did you mean mcp_my_docs_search?'
    ]
  ],
  [
    { toolName: "serch", mcpName: "my_docs" },
    ['policy: a rule names serch (a.toml:3), which MCP server "my_docs" does not offer; did you mean search?']
  ]
])("%j", (conditions, lines) => expect(misnamedRules([rule(conditions)], view)).toEqual([...lines]))

test("a server that is not connected says nothing about rules", () =>
  expect(misnamedRules([rule({ toolName: "x", mcpName: "my_docs" })], { ...view, status: "disconnected" })).toEqual([]))
