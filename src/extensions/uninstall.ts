/** Removes an extension and all that is kept about it: rules, seal, values of its settings. */
import { existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { logEvent } from "../telemetry/telemetry.ts"
import { changeRules, enablementFile, rulesToChange } from "./enablement-file.ts"
import { type ExtensionConfig, integrityPlace, settingPlace } from "./extension-config.ts"
import { ExtensionError, onDisk } from "./extension-error.ts"
import { discard, inWorkshop } from "./install.ts"
import { extensionFolders, type InstalledExtension, readInstalled } from "./installed.ts"
import { unseal } from "./integrity-store.ts"
import { MANIFEST_NAME } from "./manifest.ts"
import { isSame } from "./selection.ts"
import { storeValue } from "./setting-values.ts"
import { extensionId, githubOf, githubUrl, METADATA_NAME } from "./source.ts"

/** Gone at once for everybody who looks; what is left of it is removed after that. */
export const uninstall = Effect.fn("Extensions.uninstall")(function* (
  extension: InstalledExtension,
  config: ExtensionConfig
) {
  const rules = enablementFile(config.storage.extensionsDir)
  yield* rulesToChange(rules)
  const workshop = yield* inWorkshop(config, (made) =>
    Effect.as(
      onDisk(extension.folder, () => renameSync(extension.folder, made.old)),
      made
    )
  )
  const place = settingPlace(config, extension)
  const secrets = (extension.manifest.settings ?? []).filter(({ sensitive }) => sensitive === true)
  yield* Effect.forEach(
    secrets.flatMap((setting) => (["user", "workspace"] as const).map((scope) => ({ setting, scope }))),
    ({ scope, setting }) => storeValue(setting, undefined, scope, place),
    { discard: true }
  ).pipe(
    Effect.zipRight(unseal(integrityPlace(config), extension.name)),
    Effect.zipRight(changeRules(rules, extension.name, () => undefined)),
    Effect.ensuring(discard({ workshop }, config))
  )
  yield* logEvent("gemini_cli.extension_uninstall", `Removed extension ${extension.name}`, {
    extension_name: extension.name,
    status: "success"
  })
}, Effect.uninterruptible)

/** For `uninstall`: the folder of one that cannot be read any more will do. */
export const findRemovable = (wanted: string, config: ExtensionConfig) =>
  Effect.catchTag(findInstalled(wanted, config), "ExtensionError", (error) => {
    const { extensionsDir } = config.storage
    const folder = extensionFolders(extensionsDir).find((name) => isSame(name, wanted))
    const marks = [MANIFEST_NAME, METADATA_NAME].map((name) => join(extensionsDir, folder ?? "", name))
    // A folder that never was an extension is somebody's own.
    return folder === undefined || !marks.some((mark) => existsSync(mark))
      ? Effect.fail(error)
      : Effect.succeed(unreadable(folder, extensionsDir))
  })

/** What it declared is not known, so that only files, rules and seal can be removed. */
const unreadable = (name: string, extensionsDir: string): InstalledExtension => {
  const folder = join(extensionsDir, name)
  const manifest = { name, version: "" }
  return { name, id: extensionId(name, undefined), folder, path: folder, manifest, metadata: undefined }
}

/** By name, or by the source that it was installed from; case does not matter. */
export const findInstalled = Effect.fnUntraced(function* (wanted: string, config: ExtensionConfig) {
  const { extensions } = yield* readInstalled(config.storage.extensionsDir)
  const found =
    extensions.find(({ name }) => isSame(name, wanted)) ??
    extensions.find(
      ({ metadata }) => metadata !== undefined && isSame(plainSource(metadata.source), plainSource(wanted))
    )
  if (found !== undefined) return found
  const names = extensions.map(({ name }) => name)
  return yield* new ExtensionError({
    kind: "unknown",
    detail: `Extension "${wanted}" is not installed.`,
    advice: names.length === 0 ? "No extensions are installed." : `Installed are: ${names.join(", ")}.`
  })
})

const plainSource = (source: string): string => {
  const github = githubOf(source)
  return github === undefined ? source : githubUrl(github)
}
