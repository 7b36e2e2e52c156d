/** `trust: true` of an agent's own server: its tools run without a question, for this agent only. Pure. */
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { type PolicyRule, rankOf } from "../../policy/rule.ts"

/** As strong as the same word about a server in the settings. */
const PRIORITY = 200

export const trustedServerRules = (
  agent: string,
  servers: Readonly<Record<string, McpServer>>
): ReadonlyArray<PolicyRule> =>
  Object.entries(servers)
    .filter(([, { trust }]) => trust === true)
    .map(([server]) => ({
      toolName: "*",
      mcpName: server,
      subagent: agent,
      modes: ["default", "auto_edit", "yolo"],
      decision: "allow",
      rank: rankOf("user", PRIORITY),
      tier: "user",
      source: `agent ${agent}: mcp_servers.${server}.trust`
    }))
