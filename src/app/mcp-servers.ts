/**
 * The MCP servers of a run. This file is all that a run without servers loads: what starts them, and what brings their
 * tools to the model, is loaded when some are configured.
 */
import { Effect, type Scope } from "effect"
import * as McpHub from "../mcp/mcp-hub.ts"
import type { Stderr } from "../output/stderr.ts"
import type { Policy } from "../policy/policy.ts"
import type { ContextFiles } from "../prompt/context-files.ts"
import type * as ToolRegistry from "../tools/registry.ts"
import type { AppInput } from "./app.ts"
import type { UntrustedFolder } from "./start-error.ts"
import type { ToolPlaces } from "./tool-places.ts"

const loadJoin = Effect.promise(() => import("./mcp-join.ts"))

export const hub = (
  input: AppInput,
  places: ToolPlaces
): Effect.Effect<McpHub.McpHub["Type"], UntrustedFolder, Stderr | Scope.Scope> =>
  hasServers(input) ? Effect.flatMap(loadJoin, (join) => join.startServers(input, places)) : Effect.succeed(McpHub.none)

/** What servers say of themselves stands behind what the project says. */
export const withInstructions = <E, R>(input: AppInput, context: Effect.Effect<ContextFiles["Type"], E, R>) =>
  hasServers(input) ? Effect.flatMap(loadJoin, (join) => Effect.flatMap(context, join.addInstructions)) : context

/** Built-in tools that need servers. */
export const serverTools = (
  input: AppInput
): Effect.Effect<ReadonlyArray<ToolRegistry.JoinedTool>, never, McpHub.McpHub> =>
  hasServers(input) ? Effect.flatMap(loadJoin, (join) => join.resourceTools) : Effect.succeed([])

/** Brings the tools of the servers into the registry, now and whenever they change. */
export const joinServers = (
  input: AppInput
): Effect.Effect<void, never, McpHub.McpHub | ToolRegistry.ToolRegistry | Policy | Stderr> =>
  hasServers(input)
    ? Effect.flatMap(loadJoin, (join) =>
        join.joinTools({
          waitMs: input.person === undefined ? input.config.settings.get("mcp.startTimeout") : undefined
        })
      )
    : Effect.void

/** A `--bare` run is the prompt and the model only. */
const hasServers = ({ config: { settings }, extensions = [], plan }: AppInput): boolean =>
  !plan.bare &&
  (settings.get("mcp.serverCommand") !== undefined ||
    [
      settings.get("mcpServers"),
      settings.get("admin.mcp.requiredConfig"),
      ...extensions.map((one) => one.mcpServers)
    ].some((servers) => Object.keys(servers).length > 0))
