/** Whether paths below a root are hidden by ignore files. The rules are loaded only where there can be any. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { projectOf } from "../files/project-root.ts"
import { lazy } from "../kernel/lazy.ts"
import { lstatOrNone } from "../system/regular-file.ts"

export interface IgnoreSettings {
  readonly respectGitIgnore: boolean
  readonly respectGeminiIgnore: boolean
  /** Relative to the working folder, strongest first. */
  readonly customFiles: ReadonlyArray<string>
}

export type IsIgnored = (path: string, isFolder: boolean) => boolean

/** `isProject`: the root is the working folder, the only one with ignore files of ours. */
export const ignoreCheck = (
  root: string,
  settings: IgnoreSettings,
  { isProject }: { readonly isProject: boolean }
): Effect.Effect<IsIgnored> => {
  const respectGitIgnore = settings.respectGitIgnore && projectOf(root, [".git"]) !== undefined
  const respectGeminiIgnore = settings.respectGeminiIgnore && isProject && existsSync(join(root, ".geminiignore"))
  const customFiles = isProject ? settings.customFiles : []
  if (!respectGitIgnore && !respectGeminiIgnore && customFiles.length === 0) return Effect.succeed(() => false)
  return Effect.map(
    lazy(() => import("../files/ignore-rules.ts")),
    ({ ignoreRules }) => ignoreRules({ root, respectGitIgnore, respectGeminiIgnore, customFiles }).ignores
  )
}

/** What the person should know of the project's own ignore file. Looks, and loads the rules only where there is a link. */
export const ignoreFault = (root: string, settings: IgnoreSettings): Effect.Effect<string | undefined> =>
  settings.respectGeminiIgnore && isLink(join(root, ".geminiignore"))
    ? Effect.map(
        lazy(() => import("../files/ignore-rules.ts")),
        ({ geminiIgnoreFault }) => geminiIgnoreFault(root)
      )
    : Effect.succeed(undefined)

const isLink = (file: string): boolean => lstatOrNone(file)?.isSymbolicLink() === true
