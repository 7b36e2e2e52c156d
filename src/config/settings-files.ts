/** The settings files of all scopes: where they are, and reading one of them. */

import { realpathSync } from "node:fs"
import { userInfo } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import { readRegularFile } from "../system/regular-file.ts"
import type { Scope } from "./settings.ts"
import type { SettingsDocument } from "./settings-document.ts"

export interface SettingsFile {
  readonly scope: Scope
  readonly file: string
  /** One that cannot be opened is only told: what guards the user stands in others. */
  readonly isBeside?: true
}

export interface SettingsPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly platform: NodeJS.Platform
}

export const MAX_SETTINGS_BYTES = 10 * 1024 * 1024

/** `GEMINI_CLI_HOME`, else the home folder of the user; a real path, so that it can be compared. */
export const homeOf = ({ env, cwd, platform }: SettingsPlace): string | undefined => {
  const named = env.GEMINI_CLI_HOME || (platform === "win32" ? env.USERPROFILE : env.HOME) || accountHome()
  return named === undefined ? undefined : realPathOf(resolve(cwd, named))
}

const accountHome = (): string | undefined => {
  try {
    return userInfo().homedir || undefined
  } catch {
    // An account without an entry in the user database, as in many containers.
    return undefined
  }
}

export const realPathOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** From weak to strong, existing or not. The project's file is left out in the home folder: there it is the user's. */
export const settingsFiles = (around: SettingsPlace, home: string | undefined): ReadonlyArray<SettingsFile> => {
  const system = around.env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || systemFile(around.platform)
  const defaults = around.env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || join(dirname(system), "system-defaults.json")
  return [
    { scope: "system-defaults", file: defaults },
    ...(home === undefined ? [] : [{ scope: "user" as const, file: join(home, ".gemini", "settings.json") }]),
    ...(around.cwd === home
      ? []
      : [{ scope: "workspace" as const, file: join(around.cwd, ".gemini", "settings.json") }]),
    { scope: "system", file: system }
  ]
}

const systemFile = (platform: NodeJS.Platform): string => {
  switch (platform) {
    case "darwin":
      return "/Library/Application Support/GeminiCli/settings.json"
    case "win32":
      return "C:\\ProgramData\\gemini-cli\\settings.json"
    default:
      return "/etc/gemini-cli/settings.json"
  }
}

/** A missing file is an empty one; one that cannot be read becomes a finding. The parser is loaded only for a text. */
export const readSettingsFile = Effect.fnUntraced(function* ({ scope, file, isBeside }: SettingsFile) {
  const content = readRegularFile(file, MAX_SETTINGS_BYTES)
  if (content.kind === "text") {
    const { readSettingsText } = yield* lazy(() => import("./settings-document.ts"))
    return readSettingsText(scope, file, content.text)
  }
  const document: SettingsDocument = {
    scope,
    file,
    entries: new Map(),
    findings:
      content.kind === "missing"
        ? []
        : [{ severity: isBeside === true ? "warning" : "error", file, message: content.reason }]
  }
  return document
})
