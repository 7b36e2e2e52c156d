/**
 * Rules of the policy about the tools of one server. A person approves a tool by what it says of itself: when its
 * server redefines it, that approval is for something else, and the tool is asked about again, each time, for the rest
 * of the session. Rules that the person wrote are not touched; those that name no tool are told.
 */

import { closestNames } from "../kernel/closest-name.ts"
import { ALWAYS_PRIORITY, isAlwaysRule, type PolicyRule, rankOf } from "../policy/rule.ts"
import type { ServerView } from "./mcp-hub.ts"
import { registeredName } from "./tool-name.ts"

/** Rules that ask, one for each redefined tool with a standing approval. `tools`: names as the server has them. */
export const voidedApprovals = (
  rules: ReadonlyArray<PolicyRule>,
  server: string,
  tools: ReadonlyArray<string>
): ReadonlyArray<PolicyRule> =>
  tools
    .filter((tool) => rules.some((rule) => isAlwaysRule(rule) && covers(rule, server, tool)))
    .map((tool) => ({
      toolName: tool,
      mcpName: server,
      decision: "ask_user",
      // Just above what a "for ever" weighs, and where somebody can be asked at all.
      rank: rankOf("user", ALWAYS_PRIORITY + 1),
      tier: "user",
      source: `MCP server "${server}" changed the tool after it was approved`,
      modes: ["default", "auto_edit", "plan"],
      interactive: true,
      holdsUntilExit: true
    }))

const covers = ({ mcpName, toolName }: PolicyRule, server: string, tool: string): boolean =>
  mcpName === server && (toolName === "*" || toolName === tool)

/**
 * Rules that name a tool which their server does not offer: a misspelt one allows nothing, or worse, denies nothing.
 * One line for each, in words for people. Only for a server whose tools are known.
 */
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
