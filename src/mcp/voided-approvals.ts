/**
 * A person approves a tool by what it says of itself. When its server redefines it, that approval is for something else:
 * the tool is asked about again, each time, for the rest of the session. Rules that the person wrote are not touched.
 */
import { ALWAYS_PRIORITY, isAlwaysRule, type PolicyRule, rankOf } from "../policy/rule.ts"

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
