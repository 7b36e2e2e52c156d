/** Which folders the settings of a project may add to the workspace: its own, and those that the user trusts as well. */
import { sep } from "node:path"
import { Effect } from "effect"
import { type FolderTrustView, trustByRules } from "./folder-trust.ts"
import { locateFolder } from "./include-directories.ts"
import type { ProjectGrounds } from "./project-direction.ts"
import type { SettingsDocument } from "./settings-document.ts"
import { realPathOf, type Surroundings } from "./settings-files.ts"
import { readTrustedFolders } from "./trusted-folders-file.ts"

export interface GroundsInput {
  readonly around: Surroundings
  readonly home: string | undefined
  readonly trust: FolderTrustView
  readonly trustedFoldersFile: string
  readonly documents: ReadonlyArray<SettingsDocument>
}

/** A flag or variable that trusts the working folder for one run says nothing about others. Rules are read if needed. */
export const projectGrounds = Effect.fnUntraced(function* (input: GroundsInput) {
  const { around, documents, home, trust, trustedFoldersFile } = input
  const isAsked = documents.some(
    ({ entries, scope }) => scope === "workspace" && entries.has("context.includeDirectories")
  )
  if (!isAsked) return undefined
  const rules = yield* Effect.orElseSucceed(readTrustedFolders(trustedFoldersFile), () => [])
  const isTrusted = (folder: string) =>
    trustByRules(
      { skipTrust: false, variable: undefined, isFeatureOn: true, cwd: folder, platform: around.platform },
      rules
    ).trust === "trusted"
  const grounds: ProjectGrounds = {
    mayJoin: (folder) => {
      const place = realPathOf(locateFolder(folder, { cwd: around.cwd, home }))
      const isInside = place === around.cwd || place.startsWith(`${around.cwd}${sep}`)
      return isInside || trust.reason === "feature-off" || isTrusted(place)
    }
  }
  return grounds
})
