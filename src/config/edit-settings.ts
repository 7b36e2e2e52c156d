/**
 * Changing one setting in one file: under the file's lock, in a copy that keeps comments and layout, written in one
 * piece. A file that cannot be understood is never written over.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Predicate } from "effect"
import { codeOf, writeFileAtomic } from "../system/atomic-write.ts"
import { withLock } from "../system/lock.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { StorageError } from "../system/storage-error.ts"
import { ConfigError } from "./config-error.ts"
import { editJsonc, removeJsonc } from "./jsonc-edit.ts"
import { type SettingPath, valueInside, withValueInside } from "./setting-path.ts"
import { type SettingKey, settingRow } from "./setting-table.ts"
import { readSettingsText, type SettingEntry, type SettingsDocument } from "./settings-document.ts"
import { MAX_SETTINGS_BYTES, type SettingsFile } from "./settings-files.ts"

/** Stores a value that fits the table. An older spelling of the key in the same file gives way to the present one. */
export const storeSetting = (target: SettingsFile, path: SettingPath, value: unknown) =>
  changeFile(target, (text) => storeIn(target, text, path, value))

/** Removes the setting under all its names; false when the file did not have it. */
export const removeSetting = (target: SettingsFile, path: SettingPath) =>
  changeFile(target, (text) => removeFrom(target, text, path))

/** A file that is not there yet; false where it is. */
export const makeSettingsFile = (target: SettingsFile, content: string) =>
  changeFile(target, (text) => (text === "" ? content : text))

/** What the file says about the key now, and the faults that stand in the way of changing it. */
export const readForEdit = Effect.fnUntraced(function* (target: SettingsFile) {
  const content = readRegularFile(target.file, MAX_SETTINGS_BYTES)
  const { file } = target
  if (content.kind === "refused") return yield* new ConfigError({ issues: [{ file, message: content.reason }] })
  const text = content.kind === "text" ? content.text : ""
  const document = documentIn(target, text)
  const [first, ...rest] = document.findings.filter(({ key, severity }) => severity === "error" && key === undefined)
  if (first !== undefined) return yield* new ConfigError({ issues: [first, ...rest] })
  return { text, document }
})

const changeFile = Effect.fn("Settings.change")(function* (target: SettingsFile, change: (text: string) => string) {
  const { file, scope } = target
  yield* Effect.try({
    try: () => mkdirSync(dirname(file), { recursive: true, mode: scope === "user" ? 0o700 : 0o777 }),
    catch: (cause) => new StorageError({ path: dirname(file), kind: "write", detail: codeOf(cause) })
  })
  const edit = Effect.gen(function* () {
    const { text } = yield* readForEdit(target)
    const next = change(text)
    if (next === text) return false
    // The user's file may hold keys of servers; the project's is meant to be shared.
    const place = scope === "user" ? { mode: 0o600 } : { mode: 0o644, border: dirname(dirname(file)) }
    yield* writeFileAtomic({ file, content: next, ...place }).pipe(
      Effect.mapError((error) => new StorageError({ path: file, kind: "write", detail: error.code }))
    )
    return true
  })
  return yield* withLock(file, edit)
})

const storeIn = (target: SettingsFile, text: string, path: SettingPath, value: unknown): string => {
  const names = [...path.key.split("."), ...path.inside]
  const { entries } = documentIn(target, text)
  const cleared = [...entries]
    .filter(([key, entry]) => entry.isLegacy && key !== path.key && isPrefix(entry.path, names))
    .reduce((current, [key, entry]) => modernize(current, key, entry), text)
  const present = entries.get(path.key)
  if (present === undefined) return editJsonc(cleared, names, value)
  if (!present.isLegacy && reaches(present.value, path.inside)) return editJsonc(cleared, names, value)
  const row = settingRow(path.key)
  const whole = withValueInside(row.normalize?.(present.value) ?? present.value, path.inside, value)
  return editJsonc(editJsonc(cleared, present.path, undefined), path.key.split("."), whole)
}

/** Moves a value from its older name to the present one, where the older name is in the way. */
const modernize = (text: string, key: SettingKey, entry: SettingEntry): string =>
  editJsonc(editJsonc(text, entry.path, undefined), key.split("."), entry.value)

const removeFrom = (target: SettingsFile, text: string, path: SettingPath): string => {
  const entry = documentIn(target, text).entries.get(path.key)
  if (entry === undefined) return text
  if (path.inside.length > 0) {
    if (reaches(entry.value, path.inside)) return removeJsonc(text, [...entry.path, ...path.inside])
    // In another form it may be there all the same: the value is brought to the present one first.
    const normal = settingRow(path.key).normalize?.(entry.value) ?? entry.value
    if (valueInside(normal, path.inside) === undefined) return text
    return removeFrom(target, editJsonc(editJsonc(text, entry.path, undefined), path.key.split("."), normal), path)
  }
  // Once more: the same key may stand in the file under an older name as well.
  const next = removeJsonc(text, entry.path)
  return next === text ? text : removeFrom(target, next, path)
}

const documentIn = ({ scope, file }: SettingsFile, text: string): SettingsDocument =>
  readSettingsText(scope, file, text)

const isPrefix = (names: ReadonlyArray<string>, all: ReadonlyArray<string>): boolean =>
  names.length < all.length && names.every((name, index) => name === all[index])

/** True when the place can be changed without replacing something on the way that is not an object. */
const reaches = (value: unknown, inside: ReadonlyArray<string>): boolean => {
  const [name, ...rest] = inside
  if (name === undefined) return true
  if (!Predicate.isRecord(value)) return false
  return Object.hasOwn(value, name) ? reaches(value[name], rest) : true
}
