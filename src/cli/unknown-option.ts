/** The first option of a sub-command that its rows do not name; the parser would take it for an argument. Pure. */
import { type OptionRow, propertyOf } from "./option-row.ts"
import { looksLikeOption } from "./parse-argv.ts"

/** `args` up to a lone `--`. */
export const unknownOption = (args: ReadonlyArray<string>, rows: ReadonlyArray<OptionRow>): string | undefined => {
  let isValue = false
  for (const arg of args) {
    if (isValue || !looksLikeOption(arg)) {
      isValue = false
      continue
    }
    const [name = ""] = arg.split("=", 1)
    const row = rows.find((candidate) => spellings(candidate).includes(name))
    if (row === undefined) return arg
    isValue = row.type !== "boolean" && name === arg
  }
  return undefined
}

const spellings = ({ aliases = [], long, short }: OptionRow): ReadonlyArray<string> => [
  ...[long, ...aliases].flatMap((name) => [`--${name}`, `--${propertyOf(name)}`, `--no-${name}`]),
  ...(short === undefined ? [] : [`-${short}`])
]
