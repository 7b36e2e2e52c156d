/** Whether a folder beside the working one may join the workspace: the same rules of trust hold for it. */
import { Effect } from "effect"
import { trustByRules } from "./folder-trust.ts"
import type { LoadedConfig } from "./load.ts"
import { readTrustedFolders } from "./trusted-folders-file.ts"

/** `folder`: a real path. */
export const isTrustedDirectory = Effect.fnUntraced(function* (
  { environment, settings, storage }: Pick<LoadedConfig, "environment" | "settings" | "storage">,
  folder: string
) {
  if (!settings.get("security.folderTrust.enabled")) return true
  if (environment.get("GEMINI_CLI_TRUST_WORKSPACE") === "true") return true
  const rules = yield* readTrustedFolders(storage.trustedFoldersFile)
  const { platform } = environment
  const question = { skipTrust: false, variable: undefined, isFeatureOn: true, cwd: folder, platform }
  return trustByRules(question, rules).trust === "trusted"
})
