/**
 * Settings of the reference that nothing here reads. They are accepted, so that files written for it stay good, and never
 * ignored in silence: whoever set one to something else than what happens anyway is told why it has no effect.
 */
import { type SettingKey, settingKeys, settingRow } from "./setting-table.ts"
import type { SettingsView } from "./settings.ts"

/** Why this value of the setting has no effect; `undefined` where it has one, or where it asks for what is done anyway. */
export const whyIneffective = (key: SettingKey, value: unknown): string | undefined => {
  const { unsupported } = settingRow(key)
  return unsupported === undefined || Bun.deepEquals(value, unsupported.as) ? undefined : unsupported.because
}

/** Something beside the table that is in vain for the same reason. */
export interface Wish {
  readonly name: string
  readonly because: string
}

/** One line for each reason. */
export const unsupportedNotices = (
  settings: Pick<SettingsView, "explain">,
  others: ReadonlyArray<Wish> = []
): ReadonlyArray<string> => {
  const names = new Map<string, ReadonlyArray<string>>()
  for (const { because, name } of [...others, ...settingKeys().flatMap((key) => wishOf(key, settings))]) {
    names.set(because, [...(names.get(because) ?? []), name])
  }
  return [...names].map(([because, named]) => `[WARNING] ${named.join(", ")}: ${because}, so this has no effect.`)
}

const wishOf = (key: SettingKey, { explain }: Pick<SettingsView, "explain">): ReadonlyArray<Wish> => {
  if (settingRow(key).unsupported === undefined) return []
  const { sources, value } = explain(key)
  const because = sources.length === 0 ? undefined : whyIneffective(key, value)
  return because === undefined ? [] : [{ name: key, because }]
}
