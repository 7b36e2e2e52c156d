/**
 * One value of a settings file against the schema of its row. What the user clearly meant is accepted: `"true"` and
 * `"12"` where a switch or a number is expected. Of collections only the faulty members are dropped.
 */
import { Either, Option, ParseResult, Predicate, Schema } from "effect"
import type { SettingRow } from "./setting-table.ts"

export interface Fault {
  /** Below the key; empty for the value itself. */
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

export interface Decoded {
  /** Absent when nothing of the value can be used. */
  readonly value: Option.Option<unknown>
  readonly faults: ReadonlyArray<Fault>
}

export const decodeSetting = (row: SettingRow, written: unknown): Decoded => {
  const normal = row.normalize === undefined ? written : row.normalize(written)
  const first = attempt(row, normal)
  if (first.faults.length === 0) return first
  const coerced = first.faults.reduce((value, fault) => replaceAt(value, fault.path, coerceText), normal)
  const second = attempt(row, coerced)
  if (second.faults.length === 0) return second
  const rest = withoutMembers(coerced, new Set(second.faults.map(({ path }) => path[0])))
  const isPartial = row.merge !== "replace" && row.merge !== "intersection" && rest !== undefined
  return isPartial ? { value: attempt(row, rest).value, faults: second.faults } : second
}

const attempt = (row: SettingRow, value: unknown): Decoded =>
  Either.match(Schema.decodeUnknownEither(row.schema, { errors: "all" })(value), {
    onLeft: (error) => ({
      value: Option.none(),
      faults: ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path, message }) => ({ path, message }))
    }),
    onRight: (decoded: unknown) => ({ value: Option.some(decoded), faults: [] })
  })

const coerceText = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  const word = value.trim().toLowerCase()
  if (word === "true") return true
  if (word === "false") return false
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(word) ? Number(word) : value
}

const replaceAt = (value: unknown, path: ReadonlyArray<PropertyKey>, change: (value: unknown) => unknown): unknown => {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.map((element, index) => (index === Number(step) ? replaceAt(element, rest, change) : element))
  }
  if (!Predicate.isRecord(value) || !Object.hasOwn(value, step)) return value
  return { ...value, [step]: replaceAt(value[step], rest, change) }
}

/** Undefined when the fault lies in the collection itself. */
const withoutMembers = (value: unknown, members: ReadonlySet<PropertyKey | undefined>): unknown => {
  if (members.has(undefined)) return undefined
  if (Array.isArray(value)) return value.filter((_, index) => !members.has(index))
  if (!Predicate.isRecord(value)) return undefined
  return Object.fromEntries(Object.entries(value).filter(([name]) => !members.has(name)))
}
