/**
 * Trust before anything of a folder is installed: in the folder that it comes from, and in the one that the program runs in.
 * What a folder holds is listed before the question, and the answer is kept by its real path, whatever link led there.
 */
import { realpathSync } from "node:fs"
import { Effect } from "effect"
import { settledTrust, trustByRules } from "../config/folder-trust.ts"
import { projectContents } from "../config/project-contents.ts"
import { readTrustedFolders, saveTrust } from "../config/trusted-folders-file.ts"
import { visibleLine } from "../kernel/visible-text.ts"
import { contentsOf } from "./contents.ts"
import type { Dialogue } from "./dialogue.ts"
import type { ExtensionConfig } from "./extension-config.ts"
import { ExtensionError } from "./extension-error.ts"
import { readManifest } from "./read-manifest.ts"

export const settleSource = Effect.fn("Extensions.settleSource")(function* (
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

export const settleWorkspace = Effect.fn("Extensions.settleWorkspace")(function* (
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
