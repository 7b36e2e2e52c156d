/**
 * The MCP servers of a run. This file is all that a run without servers loads: what starts them, and what brings their
 * tools to the model, is loaded when some are configured.
 */
import { Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { service } from "../../kernel/layers.ts"
import { lazy } from "../../kernel/lazy.ts"
import * as McpHub from "../../mcp/mcp-hub.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import type { RunFacts } from "../../protocol/run-facts.ts"
import type { JoinedTool } from "../registry.ts"
import type { ServerFacts } from "./join-servers.ts"

const loadJoin = lazy(() => import("./join-servers.ts"))

type Asked = Pick<RunFacts, "isBare" | "extensions"> & Pick<ServerFacts, "sessionServers">

export const hub = (config: LoadedConfig, run: ServerFacts & Asked) =>
  service(
    McpHub.McpHub,
    hasServers(config, run)
      ? Effect.flatMap(loadJoin, ({ startServers }) => startServers(config, run))
      : Effect.succeed(McpHub.none)
  )

/** Those that are running already. */
export const runningHub = service(McpHub.McpHub, McpHub.McpHub)

/** What servers say of themselves stands behind what the project says. */
export const instructions = (config: LoadedConfig, run: Asked) =>
  service(
    ContextFiles,
    hasServers(config, run)
      ? Effect.zipWith(loadJoin, ContextFiles, (join, files) => join.addInstructions(files)).pipe(Effect.flatten)
      : ContextFiles
  )

/** Built-in tools that need servers. */
export const serverTools = (
  config: LoadedConfig,
  run: Asked
): Effect.Effect<ReadonlyArray<JoinedTool>, never, McpHub.McpHub> =>
  hasServers(config, run) ? Effect.flatMap(loadJoin, ({ resourceTools }) => resourceTools) : Effect.succeed([])

/**
 * Brings the tools of the servers into the registry, now and whenever they change. A person at a terminal may begin to
 * type at once; a headless run waits.
 */
export const joinServers = (config: LoadedConfig, run: Asked & Pick<RunFacts, "isInteractive">) =>
  hasServers(config, run)
    ? Effect.flatMap(loadJoin, ({ joinTools }) =>
        joinTools({ waitMs: run.isInteractive ? undefined : config.settings.get("mcp.startTimeout") })
      )
    : Effect.void

/** A `--bare` run is the prompt and the model only. */
const hasServers = ({ settings }: LoadedConfig, { extensions, isBare, sessionServers = {} }: Asked): boolean =>
  (!isBare || Object.keys(sessionServers).length > 0) &&
  (settings.get("mcp.serverCommand") !== undefined ||
    [
      sessionServers,
      settings.get("mcpServers"),
      settings.get("admin.mcp.requiredConfig"),
      ...extensions.map((one) => one.mcpServers)
    ].some((servers) => Object.keys(servers).length > 0))
