/** What the commands of `gemini skills` need of the settings: the configuration, the places of a scope, the skills. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import * as SkillsFromConfig from "../../skills/from-config.ts"
import { PROJECT_FOLDERS } from "../../skills/skill-folders.ts"
import * as Skills from "../../skills/skills.ts"
import { CliContext } from "../cli-context.ts"
import { disabledByAdmin, usageError } from "../usage-error.ts"
import { loadSettings } from "./load-settings.ts"

type Scope = "user" | "workspace"

export const loadForSkills = Effect.fnUntraced(function* () {
  const { writeError } = yield* CliContext
  const config = yield* loadSettings({ tolerant: true })
  if (!config.settings.get("admin.skills.enabled")) return yield* disabledByAdmin("Skills")
  yield* Effect.forEach(config.settings.warnings, (text) => writeError(`[WARNING] ${text}\n`), { discard: true })
  return config
})

/** As a run in this folder would see them. */
export const skillsOf = Effect.fnUntraced(function* (config: LoadedConfig) {
  const { extensions } = yield* loadExtensions({ config })
  return yield* SkillsFromConfig.make(config, extensions)
})

/** None where a run would have none. */
export const usedSkills = (config: LoadedConfig) =>
  config.settings.get("skills.enabled") && config.settings.get("admin.skills.enabled")
    ? skillsOf(config)
    : Effect.succeed(Skills.none)

/** Why a run would not use what is listed. */
export const unused = ({ environment, settings, trust }: LoadedConfig): ReadonlyArray<string> => [
  ...(settings.get("skills.enabled") ? [] : ["skills.enabled is false: no skill is used"]),
  ...(trust.trust === "trusted" || !hasOwn(environment.cwd)
    ? []
    : [`${environment.cwd} is not trusted: skills of the project are not used`])
]

const hasOwn = (project: string): boolean => PROJECT_FOLDERS.some((folder) => existsSync(join(project, folder)))

/** The folder that skills of a scope are installed in. */
export const scopeFolder = ({ environment, storage }: LoadedConfig, scope: Scope) => {
  if (scope === "workspace") return Effect.succeed(join(storage.projectDir, "skills"))
  return environment.home === undefined
    ? usageError("There is no home folder to keep skills in", "Set HOME or GEMINI_CLI_HOME, or use --scope workspace.")
    : Effect.succeed(storage.userSkillsDir)
}

/** In the home folder the settings of the project are those of the user. */
export const settingsFileOf = ({ files }: LoadedConfig, scope: Scope) => {
  const file = files.find((one) => one.scope === scope) ?? files.find((one) => one.scope === "user")
  return file === undefined
    ? usageError("There is no home folder to keep settings in", "Set HOME or GEMINI_CLI_HOME.")
    : Effect.succeed(file)
}
