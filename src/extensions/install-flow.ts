/** Installing with a person: trust, agreement, settings. The same from a shell and from a conversation. */
import { Effect } from "effect"
import { logEvent } from "../telemetry/telemetry.ts"
import type { Dialogue } from "./dialogue.ts"
import { type ExtensionConfig, settingPlace, usesStoredSettings } from "./extension-config.ts"
import { ExtensionError } from "./extension-error.ts"
import { commitInstall, discard, type Prepared, prepareInstall } from "./install.ts"
import type { InstalledExtension } from "./installed.ts"
import { askSettings } from "./setting-questions.ts"
import { isRemote, shownSource } from "./source.ts"
import { localFolder, type SourceWish } from "./sources/fetch-source.ts"
import { settleSource, settleWorkspace } from "./trust.ts"

export interface InstallRequest extends SourceWish {
  readonly isLink: boolean
  /** `--consent`: agreed beforehand. */
  readonly hasConsent: boolean
  readonly skipSettings: boolean
}

export const install = Effect.fn("Extensions.install")(function* (
  request: InstallRequest,
  config: ExtensionConfig,
  dialogue: Dialogue
) {
  if (!isRemote(request.source)) {
    yield* settleSource(yield* localFolder(request, config.environment.cwd), config, dialogue)
  }
  yield* settleWorkspace(config, dialogue)
  const agreesToClone = (reason: string) =>
    Effect.zipRight(dialogue.tell(reason), dialogue.confirm("Do you want to clone the repository in its place?"))
  const source = shownSource(request.source)
  const extension = yield* Effect.acquireUseRelease(
    Effect.interruptible(prepareInstall({ ...request, agreesToClone }, config)),
    (prepared) => Effect.interruptible(agreed(prepared, request, config, dialogue)),
    (prepared) => discard(prepared, config)
  ).pipe(Effect.tapError(() => tellInstall({ source, status: "error" })))
  const { manifest, name } = extension
  yield* tellInstall({ name, version: manifest.version, source, status: "success" })
  yield* settingsOf(extension, request, config, dialogue)
  return extension
})

const tellInstall = (told: {
  readonly name?: string
  readonly version?: string
  readonly source: string
  readonly status: "success" | "error"
}) =>
  logEvent("gemini_cli.extension_install", `Installed extension ${told.name ?? told.source}`, {
    extension_name: told.name,
    extension_version: told.version,
    extension_source: told.source,
    status: told.status
  })

const agreed = Effect.fnUntraced(function* (
  prepared: Prepared,
  { hasConsent }: InstallRequest,
  config: ExtensionConfig,
  dialogue: Dialogue
) {
  if (!hasConsent) yield* requireConsent(prepared.consent, dialogue)
  return yield* commitInstall(prepared, config)
})

export const requireConsent = Effect.fnUntraced(function* (text: string, dialogue: Dialogue) {
  yield* dialogue.tell(text)
  if (yield* dialogue.confirm("Do you want to continue?")) return
  return yield* new ExtensionError({
    kind: "declined",
    detail: "Installation aborted: nobody agreed to what the extension brings.",
    advice: "--consent agrees beforehand."
  })
})

/** It is installed by now: a value that is not given, or cannot be kept, is asked for again by `config`. */
const settingsOf = Effect.fnUntraced(function* (
  extension: InstalledExtension,
  { skipSettings }: InstallRequest,
  config: ExtensionConfig,
  dialogue: Dialogue
) {
  const declared = extension.manifest.settings ?? []
  if (skipSettings || declared.length === 0 || !usesStoredSettings(config)) return
  // Whoever leaves at a question should know what has happened by then.
  yield* dialogue.tell(
    `Extension "${extension.name}" is installed and asks for settings. Enter leaves one out; later: gemini extensions config ${extension.name}`
  )
  yield* askSettings(declared, "user", settingPlace(config, extension), dialogue).pipe(
    Effect.catchTag("ExtensionError", ({ message }) => dialogue.tell(`[WARNING] ${message}`))
  )
})
