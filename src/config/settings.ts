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
