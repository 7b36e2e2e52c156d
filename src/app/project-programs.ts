/** Everything that a project brings along and that would run, in its present form: hooks, MCP servers, commands of settings. */
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { programTrust } from "../config/programs/program-trust.ts"
import { projectCommands } from "../config/programs/project-commands.ts"
import { PROGRAM_KINDS, type ProjectProgram } from "../config/programs/project-program.ts"
import { findHooks } from "../hooks/hooks-from-config.ts"
import { hookPrograms } from "../hooks/project-hooks.ts"
import { projectServers } from "../mcp/project-servers.ts"
import { Stderr } from "../output/stderr.ts"
import type { AppInput } from "./app.ts"
import { UntrustedFolder } from "./start-error.ts"

export const projectPrograms = Effect.fnUntraced(function* (config: LoadedConfig) {
  const hooks = config.settings.get("hooksConfig.enabled") ? hookPrograms(yield* findHooks(config, [])) : []
  const programs: ReadonlyArray<ProjectProgram> = [
    ...hooks,
    ...projectServers(config),
    ...projectCommands(config.settings, config.environment.cwd)
  ]
  return programs
})

/** Those of `programs` that may not run yet. */
export const pendingPrograms = (
  programs: ReadonlyArray<ProjectProgram>,
  config: LoadedConfig,
  accepted?: ReadonlySet<string>
) => {
  const { isChange, mayRun } = programTrust(config, accepted)
  const pending = programs.filter(({ fingerprint }) => !mayRun(fingerprint))
  return { pending, isChange: pending.some(({ kind }) => isChange(kind)) }
}

/** New ones are left out and told; what changed after it was confirmed ends a run that nobody watches. */
export const tellPending = Effect.fnUntraced(function* (
  programs: ReadonlyArray<ProjectProgram>,
  { acceptedPrograms, config, person }: Pick<AppInput, "acceptedPrograms" | "config" | "person">
) {
  const { isChange, pending } = pendingPrograms(programs, config, acceptedPrograms)
  const [first] = pending
  if (first === undefined) return
  const stderr = yield* Stderr
  const names = pending.map(({ place, what }) => `${what} (${place})`).join(", ")
  const kind = PROGRAM_KINDS[first.kind]
  if (person === undefined && isChange) {
    const folder = config.environment.cwd
    return yield* new UntrustedFolder({ folder, because: `its ${kind} changed since you confirmed them: ${names}` })
  }
  const advice =
    person === undefined ? "start gemini here to confirm them, or add --skip-trust" : "they were not confirmed"
  yield* stderr.notice(`[WARNING] ${kind} of this project do not run (${advice}): ${names}`)
})
