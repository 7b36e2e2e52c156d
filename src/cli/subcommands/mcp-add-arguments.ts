/**
 * The command line of `gemini mcp add`. What it does not know belongs to the server, as does everything after `--`:
 * `gemini mcp add docs npx -y server --port 80` needs no quoting.
 */
import { Either } from "effect"
import { type OptionRow, propertyOf } from "../option-row.ts"
import { type UsageError, usageError } from "../usage-error.ts"

export interface AddArguments {
  readonly name: string
  /** A program, or the address of a remote server. */
  readonly commandOrUrl: string
  readonly args: ReadonlyArray<string>
  /** By property name; every value of an option that may be repeated. */
  readonly values: Readonly<Record<string, ReadonlyArray<string>>>
}

export const readAddArguments = (
  rows: ReadonlyArray<OptionRow>,
  argv: ReadonlyArray<string>
): Either.Either<AddArguments, UsageError> => {
  const words: Array<string> = []
  const values: Record<string, Array<string>> = {}
  let index = 0
  for (; index < argv.length && argv[index] !== "--"; index++) {
    const token = argv[index] ?? ""
    const option = findOption(rows, token)
    if (option === undefined) {
      words.push(token)
      continue
    }
    const { attached, row } = option
    const value = attached ?? (row.type === "boolean" ? "true" : argv[++index])
    if (value === undefined) return Either.left(usageError(`--${row.long} needs a value`, HINT))
    if (row.choices !== undefined && !row.choices.includes(value)) {
      return Either.left(usageError(`--${row.long} cannot be "${value}"`, `Choose one of: ${row.choices.join(", ")}.`))
    }
    const property = propertyOf(row.long)
    values[property] = [...(values[property] ?? []), value]
  }
  const [name, commandOrUrl, ...args] = [...words, ...argv.slice(index + 1)]
  if (name === undefined || name.trim() === "") return Either.left(usageError("A name for the server is missing", HINT))
  if (commandOrUrl === undefined) return Either.left(usageError(`The command or url of "${name}" is missing`, HINT))
  return Either.right({ name, commandOrUrl, args, values })
}

const HINT = "gemini mcp add <name> <commandOrUrl> [args...]; see gemini mcp --help."

interface FoundOption {
  readonly row: OptionRow
  /** The part behind `=`, or behind the letter of a short option. */
  readonly attached: string | undefined
}

const findOption = (rows: ReadonlyArray<OptionRow>, token: string): FoundOption | undefined => {
  const long = /^--([^=]+)(?:=(.*))?$/s.exec(token)
  if (long !== null) {
    const typed = (long[1] ?? "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const row = rows.find((one) => one.long === typed || one.aliases?.includes(typed) === true)
    return row === undefined ? undefined : { row, attached: long[2] }
  }
  const short = /^-([A-Za-z])(?:=?(.+))?$/s.exec(token)
  const row = short === null ? undefined : rows.find((one) => one.short === short[1])
  return row === undefined ? undefined : { row, attached: short?.[2] }
}
