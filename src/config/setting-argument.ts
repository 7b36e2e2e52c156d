/** A value as typed on the command line: JSON where the setting wants structure, the bare word where it wants text. */
import { Either, Option, Schema } from "effect"
import { decodeSetting } from "./decode-setting.ts"
import { interpolate, type Lookup } from "./interpolate.ts"
import { type SettingPath, valueInside, withValueInside } from "./setting-path.ts"
import { type SettingRow, settingRow } from "./setting-table.ts"

export interface Argument {
  readonly path: SettingPath
  readonly text: string
  /** What the file holds for the key now. */
  readonly present: unknown
  /** `${NAME}` is stored as typed, but must give an acceptable value now. */
  readonly lookup: Lookup
}

/** The value to store at the path. Left: what was expected. */
export const readArgument = ({ path, text, present, lookup }: Argument): Either.Either<unknown, string> => {
  const row = settingRow(path.key)
  const whole = (value: unknown) => withValueInside(normalized(row, present), path.inside, value)
  let complaint = "expected another value"
  for (const candidate of candidates(row, path, text)) {
    if (candidate === null) return Either.right(null)
    const { value, faults } = decodeSetting(row, interpolate(whole(candidate), lookup))
    // Mistakes elsewhere in the same object are no reason to refuse this value.
    const fault = faults.find(({ path: [member] }) => member === undefined || member === (path.inside[0] ?? member))
    if (fault !== undefined) complaint = fault.message
    else if (Option.isSome(value)) {
      return Either.right(text.includes("$") ? candidate : valueInside(value.value, path.inside))
    }
  }
  return Either.left(complaint)
}

const normalized = (row: SettingRow, value: unknown): unknown =>
  value === undefined || row.normalize === undefined ? value : row.normalize(value)

/** Readings of the text, most likely first. */
const candidates = (row: SettingRow, { inside }: SettingPath, text: string): ReadonlyArray<unknown> => {
  const json = Option.match(Schema.decodeUnknownOption(Schema.parseJson())(text), {
    onNone: () => [],
    onSome: (value) => [value]
  })
  if (/^\s*([[{]|null\s*$)/.test(text)) return [...json, text]
  const isList = inside.length === 0 && decodeSetting(row, []).faults.length === 0
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
  return isList ? [words] : [text, ...json, words]
}
