/**
 * What an administrator decides for everybody: by `admin.*` in the settings file of the system, or by the server of the
 * organisation that a person is signed in to. Both count, and of two words the stricter one. Readers ask the settings.
 */
import type { LoadedConfig } from "./load.ts"
import type { SettingKey } from "./setting-table.ts"
import type { SettingsView } from "./settings.ts"

export interface AdminControls {
  /** No yolo, and no approvals that last. */
  readonly isStrict: boolean
  readonly allowsExtensions: boolean
  /** Skills and agents that people bring themselves. */
  readonly allowsUnmanaged: boolean
  readonly allowsServers: boolean
  /** Empty: every server. */
  readonly allowedServers: Readonly<Record<string, unknown>>
  readonly requiredServers: Readonly<Record<string, unknown>>
}

/** The same configuration, with the word of the server in it. */
export const underAdministrator = (
  config: LoadedConfig,
  controls: AdminControls,
  project: string | undefined
): LoadedConfig => {
  const { settings } = config
  const values = new Map<SettingKey, unknown>([
    ["admin.secureModeEnabled", settings.get("admin.secureModeEnabled") || controls.isStrict],
    ["admin.extensions.enabled", settings.get("admin.extensions.enabled") && controls.allowsExtensions],
    ["admin.skills.enabled", settings.get("admin.skills.enabled") && controls.allowsUnmanaged],
    ["admin.agents.enabled", settings.get("admin.agents.enabled") && controls.allowsUnmanaged],
    ["admin.mcp.enabled", settings.get("admin.mcp.enabled") && controls.allowsServers],
    ["admin.mcp.config", inBoth(settings.get("admin.mcp.config"), controls.allowedServers)],
    ["admin.mcp.requiredConfig", { ...settings.get("admin.mcp.requiredConfig"), ...controls.requiredServers }]
  ])
  const decided = (key: SettingKey, otherwise: unknown) => (values.has(key) ? values.get(key) : otherwise)
  return {
    ...config,
    settings: {
      ...settings,
      // Each value has the type of its row.
      get: ((key: SettingKey) => decided(key, settings.get(key))) as SettingsView["get"],
      explain: (key) => ({ ...settings.explain(key), value: decided(key, settings.explain(key).value) }),
      all: () => settings.all().map((row) => ({ ...row, value: decided(row.key, row.value) })),
      managedAt: linkOf(project)
    }
  }
}

type Servers = AdminControls["allowedServers"]

/** An empty list allows all; of two lists, what both name. Where nothing is left, nothing is allowed. */
const inBoth = (file: Servers, server: Servers): Servers => {
  if (Object.keys(file).length === 0) return server
  if (Object.keys(server).length === 0) return file
  const both = Object.fromEntries(Object.entries(server).filter(([name]) => Object.hasOwn(file, name)))
  return Object.keys(both).length === 0 ? { "": null } : both
}

const linkOf = (project: string | undefined): string =>
  project === undefined ? MANAGED_AT : `${MANAGED_AT}?project=${encodeURIComponent(project)}`

const MANAGED_AT = "https://goo.gle/manage-gemini-cli"

/** Where the administrator changes it. */
export const managedAt = ({ managedAt: link = MANAGED_AT }: Pick<SettingsView, "managedAt">): string => link

/** The setting that forbids yolo. */
export const yoloForbiddenBy = (settings: SettingsView) => {
  if (settings.get("admin.secureModeEnabled")) return "admin.secureModeEnabled"
  return settings.get("security.disableYoloMode") ? "security.disableYoloMode" : undefined
}

/** No approval lasts longer than its call. */
export const forbidsAlways = (settings: SettingsView): boolean =>
  settings.get("admin.secureModeEnabled") || settings.get("security.disableAlwaysAllow")

/** For people, one word each; empty where no administrator restricts anything. */
export const controlsInForce = (settings: SettingsView): ReadonlyArray<string> => {
  const [allowed, required] = [settings.get("admin.mcp.config"), settings.get("admin.mcp.requiredConfig")]
  return [
    ...(settings.get("admin.secureModeEnabled") ? ["strict mode"] : []),
    ...(settings.get("admin.extensions.enabled") ? [] : ["no extensions"]),
    ...(settings.get("admin.skills.enabled") ? [] : ["no skills"]),
    ...(settings.get("admin.agents.enabled") ? [] : ["no agents of one's own"]),
    ...(settings.get("admin.mcp.enabled") ? [] : ["no MCP servers"]),
    ...listed("MCP servers limited to", allowed),
    ...listed("MCP servers required:", required)
  ]
}

const listed = (what: string, servers: Servers): ReadonlyArray<string> => {
  const names = Object.keys(servers).filter((name) => name !== "")
  if (Object.keys(servers).length === 0) return []
  return [`${what} ${names.length === 0 ? "none" : names.join(", ")}`]
}

/** As they were given, to see whether they changed. */
export const isSameControls = (one: AdminControls | undefined, other: AdminControls | undefined): boolean =>
  Bun.deepEquals(one, other, true)
