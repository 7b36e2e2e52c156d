/** Which of the installed extensions are on, and why the others are not. Pure. */
import { managedAt } from "../config/administrator.ts"
import type { SettingsView } from "../config/settings.ts"
import { decisionFor } from "./enablement.ts"
import type { EnablementRules } from "./enablement-file.ts"
import type { InstalledExtension } from "./installed.ts"
import { blockedBecause } from "./source.ts"

export interface SelectionInput {
  readonly settings: SettingsView
  readonly rules: EnablementRules
  readonly cwd: string
  /** `-e` */
  readonly named: ReadonlyArray<string> | undefined
  /** For this session only, by name. */
  readonly session: ReadonlyMap<string, boolean>
}

export type Standing =
  | { readonly isOn: true }
  /** `isNews`: it should be told even where nobody asked. */
  | { readonly isOn: false; readonly because: string; readonly isNews: boolean }

export const standingOf = (extension: InstalledExtension, input: SelectionInput): Standing => {
  const { settings } = input
  if (!settings.get("admin.extensions.enabled")) {
    return { isOn: false, because: `your administrator turned extensions off (${managedAt(settings)})`, isNews: true }
  }
  const blocked = blockedBecause(extension.metadata, {
    allowed: settings.get("security.allowedExtensions"),
    blocksGit: settings.get("security.blockGitExtensions")
  })
  if (blocked !== undefined) return { isOn: false, because: blocked, isNews: true }
  const session = input.session.get(extension.name)
  if (session !== undefined) return session ? ON : off("it is off for this session")
  if (input.named !== undefined) {
    return input.named.some((name) => isSame(name, extension.name)) ? ON : off("-e does not name it")
  }
  const ruled = decisionFor(input.rules.get(extension.name) ?? [], input.cwd)
  if (ruled !== undefined) return ruled ? ON : off("it is disabled in this folder")
  return settings.get("extensions.disabled").some((name) => isSame(name, extension.name))
    ? off("extensions.disabled names it")
    : ON
}

const ON: Standing = { isOn: true }

const off = (because: string): Standing => ({ isOn: false, because, isNews: false })

/** Names are compared without regard to case. */
export const isSame = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase()
