/**
 * The folders of the workspace beside the working one: those of the settings and the command line, and those that join
 * it.
 */

import { homedir } from "node:os"
import { resolve } from "node:path"
import { Context, Effect, Ref } from "effect"
import { service } from "../kernel/layers.ts"
import type { EnvironmentView } from "./environment.ts"
import type { LoadedConfig } from "./load.ts"
import type { SettingsView } from "./settings.ts"

export class WorkspaceRoots extends Context.Tag("agent/config/WorkspaceRoots")<
  WorkspaceRoots,
  {
    /** Named by flags, settings and the session; absolute. */
    readonly included: ReadonlyArray<string>
    /** That joined since the run began, real paths. */
    readonly added: Effect.Effect<ReadonlyArray<string>>
    readonly add: (root: string) => Effect.Effect<void>
  }
>() {}

/** `named`: on the command line, or in the session that goes on. */
export const layer = (config: LoadedConfig, named: ReadonlyArray<string>) =>
  service(
    WorkspaceRoots,
    Effect.map(Ref.make<ReadonlyArray<string>>([]), (added) => ({
      included: [...new Set(includeDirectories(config, named))],
      added: Ref.get(added),
      add: (root: string) => Ref.update(added, (before) => [...before, root])
    }))
  )

/**
 * Folders that belong to the workspace beside the working one: those of the settings, then those of the command line.
 * Absolute.
 */
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
