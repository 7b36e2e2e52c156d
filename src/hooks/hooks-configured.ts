/** Whether there is any hook at all. A few lookups and two `stat` calls: all that a run without hooks pays for them. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { LoadedConfig } from "../config/load.ts"
import type { ExtensionParts } from "../protocol/extension-parts.ts"
import { HOOK_EVENTS } from "./hook-event.ts"

export const hasHooks = (
  { settings, storage, trust }: LoadedConfig,
  extensions: ReadonlyArray<ExtensionParts>
): boolean =>
  settings.get("hooksConfig.enabled") &&
  (HOOK_EVENTS.some((event) => settings.get(`hooks.${event}`).length > 0) ||
    existsSync(join(storage.userDir, "hooks.toml")) ||
    (trust.trust === "trusted" && existsSync(join(storage.projectDir, "hooks.toml"))) ||
    extensions.some(({ hooks }) => Object.keys(hooks).length > 0))
