/** What the commands of `gemini mcp` need of the settings: the configuration, the file of a scope, a server by name. */
import { Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import { closestName } from "../../kernel/closest-name.ts"
import { serverId } from "../../mcp/admission.ts"
import { type ConfiguredServers, configuredServers } from "../../mcp/configured-servers.ts"
import { hubFromConfig } from "../../mcp/from-config.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { CliContext } from "../cli-context.ts"
import { disabledByAdmin, type UsageError, usageError } from "../usage-error.ts"
import { ignoredParts } from "./ignored-parts.ts"
import { loadSettings } from "./load-settings.ts"

/** As a run would see it, with a word on what an untrusted folder hides. */
export const loadForServers = Effect.fnUntraced(function* () {
  const { writeError } = yield* CliContext
  const config = yield* loadSettings()
  if (!config.settings.get("admin.mcp.enabled")) return yield* disabledByAdmin("MCP")
  yield* Effect.forEach(config.settings.warnings, (text) => writeError(`[WARNING] ${text}\n`), { discard: true })
  const ignored = yield* ignoredParts(config, "MCP servers")
  if (ignored !== undefined) {
    yield* writeError(`[WARNING] ${config.environment.cwd} is not trusted: MCP servers of its settings do not start\n`)
  }
  return config
})

export const scopeFile = (config: LoadedConfig, scope: "user" | "project") => {
  const file = config.files.find((one) => one.scope === (scope === "user" ? "user" : "workspace"))
  if (file !== undefined) return Effect.succeed(file)
  return scope === "user"
    ? usageError("There is no home folder to keep settings in", "Set HOME or GEMINI_CLI_HOME.")
    : usageError("The home folder has no project settings", "Use --scope user, or change to a project folder.")
}

/** All of them, with a word on each that cannot be used. */
export const serversOf = Effect.fnUntraced(function* (config: LoadedConfig) {
  const { writeError } = yield* CliContext
  const { extensions, notices } = yield* loadExtensions({ config })
  const known: ConfiguredServers = configuredServers(config.settings, extensions)
  const warnings = [...notices, ...known.warnings.map((text) => `[WARNING] ${text}`)]
  yield* Effect.forEach(warnings, (text) => writeError(`${text}\n`), { discard: true })
  return known
})

/** By its name, whatever its case. */
export const findServer = (
  config: LoadedConfig,
  typed: string
): Effect.Effect<readonly [name: string, server: McpServer], UsageError, CliContext> =>
  Effect.flatMap(serversOf(config), (known) => {
    const servers = Object.entries(known.servers)
    const found =
      servers.find(([name]) => name === typed) ?? servers.find(([name]) => serverId(name) === serverId(typed))
    return found === undefined
      ? unknownServer(
          typed,
          servers.map(([name]) => name)
        )
      : Effect.succeed(found)
  })

const unknownServer = (typed: string, names: ReadonlyArray<string>) => {
  const near = closestName(typed, names)
  if (near !== undefined) return usageError(`There is no MCP server "${typed}"`, `Did you mean ${near}?`)
  return usageError(
    `There is no MCP server "${typed}"`,
    names.length === 0 ? "No servers are configured; gemini mcp add adds one." : `There are: ${names.join(", ")}.`
  )
}

/** A look must not take ten minutes, which is what a call may take. */
const LOOK_WITHIN_MS = 5_000

/** Starts the servers, waits until each was tried, and ends them. */
export const lookAtServers = Effect.fnUntraced(function* (config: LoadedConfig, known: ConfiguredServers) {
  if (Object.keys(known.servers).length === 0) return []
  const servers = Object.fromEntries(
    Object.entries(known.servers).map(([key, server]) => [key, { timeout: LOOK_WITHIN_MS, ...server }])
  )
  const seen = Effect.flatMap(McpHub, (hub) => Effect.zipRight(hub.settled, hub.servers))
  return yield* Effect.provide(
    seen,
    hubFromConfig({
      config,
      configured: { ...known, servers },
      includeDirectories: [],
      notice: () => Effect.void
    })
  )
})
