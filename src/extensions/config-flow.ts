/** Asks for the settings of one extension, of one setting alone, or of all extensions. */
import { Effect } from "effect"
import { type ExtensionConfig, settingPlace } from "./extension-config.ts"
import { ExtensionError } from "./extension-error.ts"
import { type InstalledExtension, readInstalled } from "./installed.ts"
import type { ExtensionSetting } from "./manifest.ts"
import { isSame } from "./selection.ts"
import { changeSetting, type Dialogue } from "./setting-questions.ts"
import type { SettingScope } from "./setting-values.ts"
import { findInstalled } from "./uninstall.ts"

export interface ConfigWish {
  /** Absent: all extensions. */
  readonly name: string | undefined
  /** By name or variable; absent: all settings. */
  readonly setting: string | undefined
  readonly scope: SettingScope
}

export interface ChangedSetting {
  readonly extension: string
  readonly setting: string
  readonly envVar: string
}

export const configure = Effect.fn("Extensions.configure")(function* (
  wish: ConfigWish,
  config: ExtensionConfig,
  dialogue: Dialogue
) {
  if (wish.scope === "workspace" && config.trust.trust !== "trusted") {
    return yield* new ExtensionError({
      kind: "forbidden",
      detail: `${config.environment.cwd} is not a trusted folder: values kept in it would not be read.`,
      advice: "Use --scope user, or trust the folder."
    })
  }
  const extensions =
    wish.name === undefined
      ? (yield* readInstalled(config.storage.extensionsDir)).extensions
      : [yield* findInstalled(wish.name, config)]
  const changed: Array<ChangedSetting> = []
  for (const extension of extensions) {
    for (const setting of yield* wantedSettings(extension, wish)) {
      yield* dialogue.tell(`${extension.name}:`)
      const isChanged = yield* changeSetting(setting, wish.scope, settingPlace(config, extension), dialogue)
      if (isChanged) changed.push({ extension: extension.name, setting: setting.name, envVar: setting.envVar })
    }
  }
  return changed
})

const wantedSettings = (
  { manifest: { settings = [] }, name }: InstalledExtension,
  wish: ConfigWish
): Effect.Effect<ReadonlyArray<ExtensionSetting>, ExtensionError> => {
  const { setting } = wish
  if (setting === undefined) {
    return settings.length === 0 && wish.name !== undefined
      ? new ExtensionError({ kind: "unknown", detail: `Extension "${name}" has no settings.` })
      : Effect.succeed(settings)
  }
  const found = settings.find((one) => isSame(one.name, setting) || one.envVar === setting)
  return found === undefined
    ? new ExtensionError({
        kind: "unknown",
        detail: `Extension "${name}" has no setting "${setting}".`,
        ...(settings.length === 0 ? {} : { advice: `There are: ${settings.map(({ envVar }) => envVar).join(", ")}.` })
      })
    : Effect.succeed([found])
}
