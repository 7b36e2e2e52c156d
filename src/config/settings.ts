/**
 * The settings of this run: one decoded, immutable value, and for each key the files that had a say in it.
 * A service takes the keys that it needs; nobody passes the whole around.
 */
import { Context } from "effect"
import { type SettingKey, type SettingValue, settingKeys, settingRow } from "./setting-table.ts"

/** From weak to strong. */
export type Scope = "system-defaults" | "user" | "workspace" | "system"

export interface SettingSource {
  readonly scope: Scope
  readonly file: string
  readonly line: number
  /** What this file contributes, variables expanded. `null` takes back everything below. */
  readonly value: unknown
  /** False when a stronger source replaced it, or nothing of it counts. */
  readonly used: boolean
  /** What of it does not count, because a project may not say it. */
  readonly refused?: string
}

export interface Explanation {
  readonly key: SettingKey
  readonly description: string
  readonly value: unknown
  readonly default: unknown
  /** What the settings of a project may do to it, behind "a project may"; undefined where they may set it. */
  readonly projectMay: string | undefined
  /** From weak to strong; empty when the default applies. */
  readonly sources: ReadonlyArray<SettingSource>
}

export interface SettingsView {
  readonly get: <K extends SettingKey>(key: K) => SettingValue<K>
  readonly explain: (key: SettingKey) => Explanation
  /** Every key of the table, set or not. */
  readonly all: () => ReadonlyArray<Explanation>
  /** One line each: values and keys that were ignored. */
  readonly warnings: ReadonlyArray<string>
  /** Where an administrator decided a part of them, if it is known. */
  readonly managedAt?: string
}

export class Settings extends Context.Tag("agent/config/Settings")<Settings, SettingsView>() {}

export interface Resolved {
  readonly values: ReadonlyMap<SettingKey, unknown>
  readonly sources: ReadonlyMap<SettingKey, ReadonlyArray<SettingSource>>
}

export const makeSettings = (resolved: Resolved, warnings: ReadonlyArray<string>): SettingsView => {
  const effective = (key: SettingKey): unknown =>
    resolved.values.has(key) ? resolved.values.get(key) : settingRow(key).default
  const explain = (key: SettingKey): Explanation => ({
    key,
    description: settingRow(key).description,
    value: effective(key),
    default: settingRow(key).default,
    projectMay: settingRow(key).tightens?.says,
    sources: resolved.sources.get(key) ?? []
  })
  return {
    // Each value in the map was decoded by the schema of its own row, or is the default of that row.
    get: <K extends SettingKey>(key: K) => effective(key) as SettingValue<K>,
    explain,
    all: () => settingKeys().map(explain),
    warnings
  }
}

type SizeKey = Extract<SettingKey, `contextManagement.${string}`>

/** What the profile for general work changes: messages stay longer, and a larger end of the history stays as it is. */
const GENERAL: { readonly [K in SizeKey]?: SettingValue<K> } = {
  "contextManagement.historyWindow.retainedTokens": 80_000,
  "contextManagement.messageLimits.normalMaxTokens": 3_000,
  "contextManagement.messageLimits.retainedMaxTokens": 30_000,
  "contextManagement.messageLimits.normalizationHeadRatio": 0.15
}

/** Old results go as soon as they are old: fewer tokens, at the price of what the service has cached. */
const POWER: typeof GENERAL = { ...GENERAL, "contextManagement.tools.outputMasking.minPrunableThresholdTokens": 0 }

/**
 * `experimental.contextManagement`: sizes in tokens for what a conversation keeps, besides the share of the model's window.
 * The two profiles of the reference turn it on as well, with sizes of their own where none are set. `undefined`: the
 * history is not managed.
 */
export const contextSizes = (settings: SettingsView) => {
  const profile = profileOf(settings)
  if (profile === undefined) return undefined
  const size = <K extends SizeKey>(key: K, value: SettingValue<K>): SettingValue<K> =>
    settings.explain(key).sources.length === 0 ? (profile[key] ?? value) : value
  return {
    historyWindow: {
      maxTokens: size(
        "contextManagement.historyWindow.maxTokens",
        settings.get("contextManagement.historyWindow.maxTokens")
      ),
      retainedTokens: size(
        "contextManagement.historyWindow.retainedTokens",
        settings.get("contextManagement.historyWindow.retainedTokens")
      )
    },
    messageLimits: {
      normalMaxTokens: size(
        "contextManagement.messageLimits.normalMaxTokens",
        settings.get("contextManagement.messageLimits.normalMaxTokens")
      ),
      retainedMaxTokens: size(
        "contextManagement.messageLimits.retainedMaxTokens",
        settings.get("contextManagement.messageLimits.retainedMaxTokens")
      ),
      headRatio: size(
        "contextManagement.messageLimits.normalizationHeadRatio",
        settings.get("contextManagement.messageLimits.normalizationHeadRatio")
      )
    },
    maxOutputTokens: size(
      "contextManagement.tools.distillation.maxOutputTokens",
      settings.get("contextManagement.tools.distillation.maxOutputTokens")
    ),
    summarizationThresholdTokens: size(
      "contextManagement.tools.distillation.summarizationThresholdTokens",
      settings.get("contextManagement.tools.distillation.summarizationThresholdTokens")
    ),
    minPrunableThresholdTokens: size(
      "contextManagement.tools.outputMasking.minPrunableThresholdTokens",
      settings.get("contextManagement.tools.outputMasking.minPrunableThresholdTokens")
    )
  }
}

const profileOf = ({ get }: SettingsView): typeof GENERAL | undefined => {
  if (get("experimental.powerUserProfile")) return POWER
  if (get("experimental.generalistProfile")) return GENERAL
  return get("experimental.contextManagement") ? {} : undefined
}
