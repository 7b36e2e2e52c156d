/** All servers that the settings name. */
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { SettingsView } from "../config/settings.ts"
import { splitCommandLine } from "../kernel/command-line.ts"

/** By name, in the order of the settings. The command of `mcp.serverCommand` is the server `mcp`, unless one has that name. */
export const configuredServers = (settings: SettingsView): Readonly<Record<string, McpServer>> => {
  const [command, ...args] = splitCommandLine(settings.get("mcp.serverCommand") ?? "") ?? []
  return { ...(command === undefined ? {} : { mcp: { command, args } }), ...settings.get("mcpServers") }
}
