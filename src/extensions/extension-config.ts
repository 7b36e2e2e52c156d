/** What this room takes from the configuration, and the places that follow from it. */
import { credentialsOf } from "../auth/credentials.ts"
import type { LoadedConfig } from "../config/load.ts"
import type { InstalledExtension } from "./installed.ts"
import type { IntegrityPlace } from "./integrity-store.ts"
import type { SettingPlace } from "./setting-values.ts"

export type ExtensionConfig = Pick<LoadedConfig, "settings" | "environment" | "trust" | "storage">

/** `experimental.extensionConfig`: while it is off, stored values are neither asked for nor used. */
export const usesStoredSettings = ({ settings }: ExtensionConfig): boolean =>
  settings.get("experimental.extensionConfig")

export const integrityPlace = ({ environment, storage }: ExtensionConfig): IntegrityPlace => ({
  userDir: storage.userDir,
  fileOnly: environment.get("GEMINI_FORCE_FILE_STORAGE") === "true"
})

export const settingPlace = (
  config: ExtensionConfig,
  { folder, id, name }: Pick<InstalledExtension, "folder" | "id" | "name">
): SettingPlace => ({
  name,
  id,
  folder,
  workspace: config.environment.cwd,
  isTrusted: config.trust.trust === "trusted",
  credentials: credentialsOf(config)
})

/** Sources that settings admit. */
export const sourceRules = ({ settings }: ExtensionConfig) => ({
  allowed: settings.get("security.allowedExtensions"),
  blocksGit: settings.get("security.blockGitExtensions")
})
