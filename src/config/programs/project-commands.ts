/** Settings whose value is a command line that is run: those that the project sets are confirmed like its hooks. */
import type { SettingKey } from "../setting-table.ts"
import type { SettingSource, SettingsView } from "../settings.ts"
import { fingerprintOf, type ProjectProgram } from "./project-program.ts"

const COMMAND_KEYS = ["tools.discoveryCommand", "tools.callCommand", "tools.shell.pager"] as const
export type CommandKey = (typeof COMMAND_KEYS)[number]

export interface ProjectCommand extends ProjectProgram {
  readonly key: CommandKey
}

export const projectCommands = (settings: SettingsView, project: string): ReadonlyArray<ProjectCommand> =>
  COMMAND_KEYS.flatMap((key) => {
    const source = projectSource(settings, key)
    if (source === undefined) return []
    const command = String(source.value)
    return [
      {
        key,
        kind: "command" as const,
        what: `${key}: ${command}`,
        place: `${source.file}:${source.line}`,
        fingerprint: fingerprintOf({ kind: "command", says: [key, command], commands: [command] }, project)
      }
    ]
  })

/** The project's file has the last word on a key, and says something else than the user's own files. */
export const projectSource = (settings: SettingsView, key: SettingKey): SettingSource | undefined => {
  const { sources } = settings.explain(key)
  const last = sources.at(-1)
  if (last?.scope !== "workspace" || last.value === null) return undefined
  const isOwn = sources.some(({ scope, value }) => scope !== "workspace" && value === last.value)
  return isOwn ? undefined : last
}
