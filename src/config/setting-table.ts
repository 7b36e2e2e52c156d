/**
 * Every setting that this program knows, in one table: reading, merging, listing and help all follow it.
 * A key that is not here is unknown. `SettingValue` gives each key its static type.
 */
import type { Schema } from "effect"
import type { Direction } from "./project-direction.ts"
import type { Merge, Need, Setting, Unsupported } from "./setting.ts"
import { contextSettings, uiSettings } from "./setting-table/context.ts"
import { experimentalSettings, extendSettings } from "./setting-table/experimental.ts"
import { generalSettings } from "./setting-table/general.ts"
import { modelSettings } from "./setting-table/model.ts"
import { securitySettings } from "./setting-table/security.ts"
import { toolSettings } from "./setting-table/tools.ts"

export const settingTable = {
  ...generalSettings,
  ...uiSettings,
  ...modelSettings,
  ...contextSettings,
  ...toolSettings,
  ...securitySettings,
  ...experimentalSettings,
  ...extendSettings
}

export type SettingKey = keyof typeof settingTable

/** What `settings.get` returns: with `undefined` only where the table has no default. */
export type SettingValue<K extends SettingKey> =
  (typeof settingTable)[K] extends Setting<infer A, infer D> ? (undefined extends D ? A | undefined : A) : never

/** A row whose key is known only at run time. */
export interface SettingRow {
  readonly schema: Schema.Schema.AnyNoContext
  readonly default: unknown
  readonly merge: Merge
  readonly need: Need
  readonly description: string
  readonly normalize?: (value: unknown) => unknown
  readonly keepsVariables?: true
  readonly unsupported?: Unsupported
  readonly tightens?: Direction
  readonly variables?: ReadonlyArray<string>
  readonly isSecret?: true
}

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settingTable, key)

export const settingRow = (key: SettingKey): SettingRow => settingTable[key]

export const settingKeys = (): ReadonlyArray<SettingKey> => Object.keys(settingTable).filter(isSettingKey)

/**
 * Keys that guard what may run. A value that cannot be understood must stop the program: ignoring it would quietly
 * widen what the user allowed.
 */
export const isGuarded = (key: string): boolean =>
  /^(security|mcp|admin)(\.|$)/.test(key) ||
  /^tools\.(core|exclude|allowed)$/.test(key) ||
  /^(admin)?policyPaths$/i.test(key)

/** True for `tools` or `tools.shell`: a group that holds keys, but is none itself. */
export const isSettingGroup = (path: string): boolean => settingKeys().some((key) => key.startsWith(`${path}.`))
