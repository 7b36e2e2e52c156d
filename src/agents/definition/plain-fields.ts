/**
 * The fields of a definition that is written as plainly as most are: texts, numbers and lists of words, one line each or
 * one entry a line. Parsing YAML for dozens of them would cost more than everything else at start; whatever is not plain
 * is left to it. Pure.
 */
import { Option } from "effect"
import { isPlain } from "../../skills/front-matter.ts"

type Value = string | number | ReadonlyArray<string>

export const plainFields = (lines: ReadonlyArray<string>): Option.Option<Readonly<Record<string, Value>>> => {
  const fields = new Map<string, Value>()
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ""
    if (/^(?:#.*)?$/.test(line)) continue
    const [, key, written] = /^([a-z][a-z0-9_]*):(?: +(\S.*))?$/.exec(line) ?? []
    if (key === undefined || fields.has(key)) return Option.none()
    const entries = written === undefined ? entriesBelow(lines, index + 1) : []
    const value = written === undefined ? listOf(entries) : plainValue(written.trimEnd())
    if (value === undefined) return Option.none()
    fields.set(key, value)
    index += entries.length
  }
  return Option.some(Object.fromEntries(fields))
}

const entriesBelow = (lines: ReadonlyArray<string>, from: number): ReadonlyArray<string> => {
  const entries: Array<string> = []
  for (let index = from; index < lines.length; index++) {
    const [, entry] = /^ {2}- (\S+)$/.exec(lines[index] ?? "") ?? []
    if (entry === undefined) break
    entries.push(entry)
  }
  return entries
}

const plainValue = (written: string): Value | undefined => {
  if (/^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/.test(written)) return Number(written)
  const [, inside] = /^\[ *(\S.*\S|\S) *\]$/.exec(written) ?? []
  if (inside !== undefined) return listOf(inside.split(/ *, */))
  return isPlain(written) ? written : undefined
}

/** Words such as names of tools, and none that means something else in YAML. */
const listOf = (entries: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  entries.length > 0 && entries.every((entry) => /^[A-Za-z][A-Za-z0-9_.-]*$/.test(entry) && isPlain(entry))
    ? entries
    : undefined
