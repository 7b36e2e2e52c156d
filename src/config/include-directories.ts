/** Folders that belong to the workspace beside the working one: those of the settings, then those of the command line. */
import { homedir } from "node:os"
import { resolve } from "node:path"
import type { LoadedConfig } from "./load.ts"

/** Absolute. */
export const includeDirectories = (
  { environment, settings }: Pick<LoadedConfig, "environment" | "settings">,
  given: ReadonlyArray<string>
): ReadonlyArray<string> =>
  [...settings.get("context.includeDirectories"), ...given].map((path) =>
    resolve(environment.cwd, expandHome(path, environment.home))
  )

const expandHome = (path: string, home: string | undefined): string =>
  path.replace(/^(~|%userprofile%)(?=$|[/\\])/i, () => home ?? homedir())
