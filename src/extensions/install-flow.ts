/** Installing with a person: trust, agreement, settings. The same from a shell and from a conversation. */
import { realpathSync } from "node:fs"
import { Effect } from "effect"
import { settledTrust, trustByRules } from "../config/folder-trust.ts"
import { projectContents } from "../config/project-contents.ts"
import { readTrustedFolders, saveTrust } from "../config/trusted-folders-file.ts"
import { visibleLine } from "../kernel/visible-text.ts"
import { logEvent } from "../telemetry/telemetry.ts"
import { contentsOf } from "./consent.ts"
import { type ExtensionConfig, settingPlace, usesStoredSettings } from "./extension-config.ts"
import { ExtensionError } from "./extension-error.ts"
import { commitInstall, discard, type PreparedInstall, prepareInstall } from "./install.ts"
import type { InstalledExtension } from "./installed.ts"
import { readManifest } from "./read-manifest.ts"
import { askSettings, type Dialogue } from "./setting-questions.ts"
import { isRemote, shownSource } from "./source.ts"
import { localFolder, type SourceWish } from "./sources/fetch-source.ts"

export interface InstallRequest extends SourceWish {
  readonly isLink: boolean
  /** `--consent`: agreed beforehand. */
  readonly hasConsent: boolean
  readonly skipSettings: boolean
}

/**
 * Trust before anything of a folder is installed: in the folder that it comes from, and in the one that the program runs in.
 * What a folder holds is listed before the question, and the answer is kept by its real path, whatever link led there.
 */
const settleSource = Effect.fn("Extensions.settleSource")(function* (
  folder: string,
  config: ExtensionConfig,
  dialogue: Dialogue
) {
  const real = yield* Effect.orElseSucceed(
    Effect.try(() => realpathSync(folder)),
    () => folder
  )
  if (yield* isTrusted(real, config)) return
  const lines = yield* listContents(real)
  yield* dialogue.tell([`The folder ${visibleLine(real)} is not trusted. It contains:`, ...lines].join("\n"))
  if (!(yield* dialogue.confirm("Do you want to trust this folder and continue with the installation?"))) {
    return yield* aborted(`the folder ${real} is not trusted`)
  }
  yield* remember(real, config)
})

const settleWorkspace = Effect.fn("Extensions.settleWorkspace")(function* (
  config: ExtensionConfig,
  dialogue: Dialogue
) {
  const { cwd } = config.environment
  if (config.trust.trust === "trusted" || (yield* isTrusted(cwd, config))) return
  yield* dialogue.tell(`The current workspace ${visibleLine(cwd)} is not trusted.`)
  if (!(yield* dialogue.confirm("Do you want to trust this workspace to install extensions?"))) {
    return yield* aborted(`the workspace ${cwd} is not trusted`)
  }
  yield* remember(cwd, config)
})

const aborted = (because: string): ExtensionError =>
  new ExtensionError({
    kind: "declined",
    detail: `Installation aborted: ${because}.`,
    advice: "Answer y, or set GEMINI_CLI_TRUST_WORKSPACE=true."
  })

const isTrusted = Effect.fnUntraced(function* (cwd: string, { environment, settings, storage }: ExtensionConfig) {
  const question = {
    skipTrust: false,
    variable: environment.get("GEMINI_CLI_TRUST_WORKSPACE"),
    isFeatureOn: settings.get("security.folderTrust.enabled"),
    cwd,
    platform: environment.platform
  }
  const rules = yield* Effect.mapError(
    readTrustedFolders(storage.trustedFoldersFile),
    ({ message }) => new ExtensionError({ kind: "storage", detail: message })
  )
  return (settledTrust(question) ?? trustByRules(question, rules)).trust === "trusted"
})

const remember = (folder: string, { storage }: ExtensionConfig) =>
  Effect.mapError(
    saveTrust(storage.trustedFoldersFile, folder, "TRUST_FOLDER"),
    ({ message }) => new ExtensionError({ kind: "storage", detail: message })
  )

/** As an extension, and as a project of its own: both kinds of content would be trusted. */
const listContents = Effect.fnUntraced(function* (folder: string) {
  const manifest = yield* readManifest(folder)
  const { agents, commands, hooks, policies, skills } = contentsOf(folder, manifest)
  const project = yield* projectContents(folder, [])
  const kinds: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["commands", commands],
    ["MCP servers", Object.keys(manifest.mcpServers ?? {})],
    ["hooks", hooks],
    ["skills", skills.map(({ name }) => name)],
    ["agents", agents],
    ["policies", policies],
    ["settings", (manifest.settings ?? []).map(({ name }) => name)],
    ...project.map(({ kind, names }) => [`${kind} of the project`, names] as const)
  ]
  const lines = kinds
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => `  * ${kind}: ${names.map(visibleLine).join(", ")}`)
  return lines.length === 0 ? ["  * nothing that acts"] : lines
})

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
  prepared: PreparedInstall,
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
