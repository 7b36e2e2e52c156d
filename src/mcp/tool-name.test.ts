import { expect, test } from "bun:test"
import { FastCheck } from "effect"
import { registeredName } from "./tool-name.ts"

test.each([
  ["docs", "search", "mcp_docs_search"],
  ["my_docs", "search", "mcp_my_docs_search"],
  ["mcp_docs", "search", "mcp_docs_search"],
  ["docs", "read file/now", "mcp_docs_read_file_now"],
  ["docs", "a.b:c-d", "mcp_docs_a.b:c-d"],
  ["docs", "read_file", "mcp_docs_read_file"],
  ["docs", "bell\u0007\u001b[2J", "mcp_docs_bell___2J"],
  ["s", "x".repeat(57), `mcp_s_${"x".repeat(57)}`],
  ["s", `${"x".repeat(57)}y`, `mcp_s_${"x".repeat(24)}...${"x".repeat(29)}y`]
])("%s / %j", (server, tool, name) => expect(registeredName(server, tool)).toBe(name))

test("every name is one that the API takes", () =>
  FastCheck.assert(
    FastCheck.property(FastCheck.string(), FastCheck.string(), (server, tool) => {
      expect(registeredName(server, tool)).toMatch(/^mcp_[A-Za-z0-9_.:-]{0,59}$/)
    })
  ))
