/** Rules that name a tool which their server does not offer: a misspelt one allows nothing, or worse, denies nothing. */
import { closestNames } from "../kernel/closest-name.ts"
import type { PolicyRule } from "../policy/rule.ts"
import type { ServerView } from "./mcp-hub.ts"
import { registeredName } from "./tool-name.ts"

/** One line for each, in words for people. Only for a server whose tools are known. */
export const misnamedRules = (
  rules: ReadonlyArray<PolicyRule>,
  { name, status, tools }: ServerView
): ReadonlyArray<string> => {
  if (status !== "connected") return []
  const own = tools.map((tool) => tool.name)
  const registered = tools.map((tool) => registeredName(name, tool.name))
  const lines = rules.flatMap(({ mcpName, source, toolName }) => {
    if (toolName.includes("*")) return []
    const isShort = mcpName === name
    if (!isShort && (mcpName !== undefined || !toolName.startsWith(registeredName(name, "")))) return []
    if (own.includes(toolName) || registered.includes(toolName)) return []
    const [near] = closestNames(toolName, isShort ? own : registered, 1)
    const hint = near === undefined ? "" : `; did you mean ${near}?`
    return [`policy: a rule names ${toolName} (${source}), which MCP server "${name}" does not offer${hint}`]
  })
  return [...new Set(lines)]
}
