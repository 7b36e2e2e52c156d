/**
 * From the documents of all scopes to one value per key. Each value is expanded and checked on its own: a bad one
 * is left out, so that the next weaker scope speaks. Only keys that some file sets are touched.
 */
import { Option } from "effect"
import type { Finding } from "./config-error.ts"
import { decodeSetting } from "./decode-setting.ts"
import { interpolate, type Lookup } from "./interpolate.ts"
import { mergeValues } from "./merge.ts"
import { isGuarded, type SettingKey, settingRow } from "./setting-table.ts"
import type { Resolved, Scope, SettingSource } from "./settings.ts"
import type { Entry, SettingsDocument } from "./settings-document.ts"
import { whyIneffective } from "./unsupported-settings.ts"

export interface Resolution extends Resolved {
  readonly findings: ReadonlyArray<Finding>
}

/** Variables that a file may refer to. Those of a project's `.env` say nothing about what the user wrote. */
export type LookupFor = (scope: Scope) => Lookup

/** `documents` from weak to strong; `keys` limits the work to what an early decision needs. */
export const resolveSettings = (
  documents: ReadonlyArray<SettingsDocument>,
  lookup: LookupFor,
  keys?: ReadonlySet<SettingKey>
): Resolution => {
  const values = new Map<SettingKey, unknown>()
  const sources = new Map<SettingKey, ReadonlyArray<SettingSource>>()
  const findings: Array<Finding> = documents.flatMap((document) => document.findings)
  for (const document of documents) {
    for (const [key, entry] of document.entries) {
      if (keys !== undefined && !keys.has(key)) continue
      const checked = checkEntry(document, key, entry, lookup(document.scope))
      findings.push(...checked.findings)
      if (Option.isNone(checked.value)) continue
      const value = checked.value.value
      const earlier = sources.get(key) ?? []
      const source = { scope: document.scope, file: document.file, line: entry.place([]).line, value, used: true }
      sources.set(key, [...supersede(key, earlier, value), source])
      const row = settingRow(key)
      if (value === null) values.delete(key)
      else values.set(key, mergeValues(row.merge, values.has(key) ? values.get(key) : row.default, value))
    }
  }
  return { values, sources, findings }
}

/** Of one value; the first ones are enough to find the mistake. */
const MAX_FAULTS = 5

interface CheckedEntry {
  readonly value: Option.Option<unknown>
  readonly findings: ReadonlyArray<Finding>
}

const checkEntry = (document: SettingsDocument, key: SettingKey, entry: Entry, lookup: Lookup): CheckedEntry => {
  if (entry.value === null) return { value: Option.some(null), findings: [] }
  const row = settingRow(key)
  const written = row.keepsVariables === true ? entry.value : interpolate(entry.value, lookup)
  const { value, faults } = decodeSetting(row, written)
  const isFatal = isGuarded(key)
  const findings = faults.slice(0, MAX_FAULTS).map(
    ({ path, message }): Finding => ({
      severity: isFatal ? "error" : "warning",
      file: document.file,
      ...entry.place(path),
      key: [key, ...path.map(String)].join("."),
      message: isFatal ? message : `${message}; ignored`
    })
  )
  const because = Option.flatMapNullable(value, (read) => whyIneffective(key, read))
  return { value, findings: [...findings, ...ineffective(document, key, entry, because)] }
}

/** A file that was written for the reference is no worse for it. */
const ineffective = (
  { file }: SettingsDocument,
  key: SettingKey,
  entry: Entry,
  because: Option.Option<string>
): ReadonlyArray<Finding> =>
  Option.match(because, {
    onNone: () => [],
    onSome: (why) => [{ severity: "note", file, ...entry.place([]), key, message: `has no effect: ${why}` }]
  })

/** Replacing values, and `null`, put everything weaker out of use. */
const supersede = (
  key: SettingKey,
  earlier: ReadonlyArray<SettingSource>,
  value: unknown
): ReadonlyArray<SettingSource> =>
  value === null || settingRow(key).merge === "replace"
    ? earlier.map((source) => ({ ...source, used: false }))
    : earlier
