/** Folders that belong to the workspace beside the working one: those of the settings, then those of the command line. */
import { homedir } from "node:os"
import { resolve } from "node:path"
import type { EnvironmentView } from "./environment.ts"
import type { SettingsView } from "./settings.ts"

/** Absolute. */
export const includeDirectories = (
  { environment, settings }: { readonly environment: EnvironmentView; readonly settings: SettingsView },
  given: ReadonlyArray<string>
): ReadonlyArray<string> =>
  [...settings.get("context.includeDirectories"), ...given].map((path) => locateFolder(path, environment))

export const locateFolder = (path: string, { cwd, home }: Pick<EnvironmentView, "cwd" | "home">): string =>
  resolve(
    cwd,
    path.replace(/^(~|%userprofile%)(?=$|[/\\])/i, () => home ?? homedir())
  )
