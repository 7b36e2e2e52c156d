/**
 * `--cwd`: paths of options that stand before it count from where the program was called, everything else from the
 * folder that it names.
 */
import { resolve } from "node:path"
import { type OptionRow, propertyOf } from "./option-row.ts"
import type { OptionValue, ParsedArgv } from "./parse-argv.ts"

/** `calledIn`: where the program was called. */
export const withEarlyPaths = (rows: ReadonlyArray<OptionRow>, parsed: ParsedArgv, calledIn: string): ParsedArgv => {
  const early = parsed.beforeCwd ?? {}
  const placed = Object.entries(parsed.options).map(([property, value]) => {
    const names = rows.find(({ long }) => propertyOf(long) === property)?.names
    const before = early[property]
    if (names === undefined || before === undefined) return [property, value] as const
    const place = (text: string): string => placedPath(names, text, calledIn)
    return [property, placedValue(value, before, place)] as const
  })
  return { ...parsed, options: Object.fromEntries(placed) }
}

/** Of a list, its beginning; a single value, unless it was given anew. */
const placedValue = (value: OptionValue, before: OptionValue, place: (text: string) => string): OptionValue => {
  if (Array.isArray(value) && Array.isArray(before)) {
    return value.map((item, index) => (index < before.length ? place(String(item)) : item))
  }
  return typeof value === "string" && value === before ? place(value) : value
}

const placedPath = (names: NonNullable<OptionRow["names"]>, text: string, folder: string): string => {
  if (names === "text")
    return text.startsWith("@") && !text.startsWith("@@") ? `@${resolve(folder, text.slice(1))}` : text
  if (names === "data" && /^\s*\{/.test(text)) return text
  return text === "-" || text === "" || /^fd:\d+$/.test(text) ? text : resolve(folder, text)
}
