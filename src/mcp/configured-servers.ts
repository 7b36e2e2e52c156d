/** All servers of a run: those that the settings name, those of extensions, and what an administrator makes of them. */
import { managedAt } from "../config/administrator.ts"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { SettingsView } from "../config/settings.ts"
import { splitCommandLine } from "../kernel/command-line.ts"
import type { ExtensionParts } from "../protocol/run-facts.ts"
import { administer } from "./administered-servers.ts"
import { type JoinedServers, joinExtensionServers } from "./extension-servers.ts"

export interface ConfiguredServers extends JoinedServers {
  /** Those that an administrator does not allow. */
  readonly blockedByAdmin: ReadonlySet<string>
}

/** In the order of the settings, then of the extensions. */
export const configuredServers = (
  settings: SettingsView,
  extensions: ReadonlyArray<ExtensionParts> = [],
  /** Of this session alone; they win over others of their names. */
  ofSession: Readonly<Record<string, McpServer>> = {}
): ConfiguredServers => {
  const joined = joinExtensionServers({ ...settingsServers(settings), ...ofSession }, extensions)
  const { blocked, servers } = administer(joined.servers, {
    isEnabled: settings.get("admin.mcp.enabled"),
    allowed: settings.get("admin.mcp.config"),
    required: settings.get("admin.mcp.requiredConfig")
  })
  const warnings =
    blocked.size === 0 ? joined.warnings : [...joined.warnings, blockedText([...blocked], managedAt(settings))]
  return { servers, origins: joined.origins, warnings, blockedByAdmin: blocked }
}

/** The command of `mcp.serverCommand` is the server `mcp`, unless one has that name. */
const settingsServers = (settings: SettingsView): Readonly<Record<string, McpServer>> => {
  // A list of the administrator's names servers that are reached elsewhere, and no command is one of them.
  const isOpen = Object.keys(settings.get("admin.mcp.config")).length === 0
  const [command, ...args] = splitCommandLine((isOpen && settings.get("mcp.serverCommand")) || "") ?? []
  return { ...(command === undefined ? {} : { mcp: { command, args } }), ...settings.get("mcpServers") }
}

const blockedText = (names: ReadonlyArray<string>, link: string): string =>
  `${names.length} MCP ${names.length === 1 ? "server is" : "servers are"} not allowed by your administrator: ${names.join(", ")} (${link})`
