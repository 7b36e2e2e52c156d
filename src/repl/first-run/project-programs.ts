/** Everything that a project brings along and that would run, in its present form: hooks, MCP servers, commands of settings. */
import { Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { type ProjectProgram, projectCommands } from "../../config/programs/project-program.ts"
import { findHooks } from "../../hooks/find-hooks.ts"
import { hookPrograms } from "../../hooks/hook.ts"
import { projectServers } from "../../mcp/project-servers.ts"

export const projectPrograms = Effect.fnUntraced(function* (config: LoadedConfig) {
  const hooks = config.settings.get("hooksConfig.enabled") ? hookPrograms(yield* findHooks(config, [])) : []
  const programs: ReadonlyArray<ProjectProgram> = [
    ...hooks,
    ...projectServers(config),
    ...projectCommands(config.settings, config.environment.cwd)
  ]
  return programs
})
