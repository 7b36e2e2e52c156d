/**
 * What a person names on the command line: a key of the table, or a place inside one that holds an object, such as
 * `telemetry.enabled` or `mcpServers.docs.command`.
 */
import { Either, Predicate } from "effect"
import { closestNames } from "../kernel/closest-name.ts"
import { isForbiddenName } from "./merge.ts"
import { isSettingKey, type SettingKey, settingKeys, settingRow } from "./setting-table.ts"

export interface SettingPath {
  readonly key: SettingKey
  /** Below the key; empty for the setting itself. */
  readonly inside: ReadonlyArray<string>
}

/** Left: the known keys that are nearest, perhaps none. */
export const parseSettingPath = (text: string): Either.Either<SettingPath, ReadonlyArray<string>> => {
  const names = text.trim().split(".")
  for (let length = names.length; length > 0; length--) {
    const key = names.slice(0, length).join(".")
    if (!isSettingKey(key)) continue
    const inside = names.slice(length)
    const isOpen = inside.length === 0 || settingRow(key).merge === "shallow" || settingRow(key).merge === "deep"
    if (isOpen && inside.every((name) => name !== "" && !isForbiddenName(name))) return Either.right({ key, inside })
    break
  }
  return Either.left(nearest(text.trim()))
}

const nearest = (text: string): ReadonlyArray<string> => {
  const group = settingKeys().filter((key) => key.startsWith(`${text}.`))
  if (group.length > 0) return group.slice(0, 5)
  const tail = `.${text.slice(text.lastIndexOf(".") + 1).toLowerCase()}`
  const sameTail = settingKeys().filter((key) => key.toLowerCase().endsWith(tail))
  return sameTail.length > 0 ? sameTail.slice(0, 3) : closestNames(text, settingKeys())
}

export const valueInside = (value: unknown, inside: ReadonlyArray<string>): unknown =>
  inside.reduce<unknown>(
    (outer, name) => (Predicate.isRecord(outer) && Object.hasOwn(outer, name) ? outer[name] : undefined),
    value
  )

/** A copy of `value` in which `inside` is `next`; objects are made on the way. */
export const withValueInside = (value: unknown, inside: ReadonlyArray<string>, next: unknown): unknown => {
  const [name, ...rest] = inside
  if (name === undefined) return next
  const outer = Predicate.isRecord(value) ? value : {}
  const below = Object.hasOwn(outer, name) ? outer[name] : undefined
  return { ...outer, [name]: withValueInside(below, rest, next) }
}
