/** Options by variables: what `GEMINI_<NAME>` says counts where the command line says nothing. */
import { Either } from "effect"
import { nonBlank } from "../kernel/non-blank.ts"
import { type OptionRow, propertyOf } from "./option-row.ts"
import { type OptionValue, type ParsedArgv, splitList } from "./parse-argv.ts"
import { type UsageError, usageError } from "./usage-error.ts"

export const withVariables = (
  rows: ReadonlyArray<OptionRow & { readonly hasVariable?: true }>,
  parsed: ParsedArgv,
  env: Variables
): Either.Either<ParsedArgv, UsageError> => {
  const mode = cassetteMode(env)
  if (!CASSETTE_MODES.includes(mode)) {
    return Either.left(usageError(`GEMINI_CASSETTE_MODE cannot be "${mode}"`, `Choose ${CASSETTE_MODES.join(", ")}.`))
  }
  const added: Record<string, OptionValue> = { ...cassetteOf(parsed, env) }
  for (const row of rows) {
    const property = propertyOf(row.long)
    if (row.hasVariable !== true || parsed.options[property] !== undefined || added[property] !== undefined) continue
    const name = variableOf(row.long)
    // An empty list says something: no tools.
    const text = row.long === "tools" ? env[name] : nonBlank(env[name])
    if (text === undefined) continue
    const value = valueOfText(row, text)
    if (value === undefined) return Either.left(usageError(`${name} cannot be "${text}"`, "Write true or false."))
    added[propertyOf(row.long)] = value
  }
  const isNew = Object.keys(added).length > 0
  return Either.right(isNew ? { ...parsed, options: { ...added, ...parsed.options } } : parsed)
}

/** The command line says where answers come from. */
const ANSWER_SOURCES = ["record", "replay", "fakeResponses", "fakeResponsesNonStrict", "demo"]

/** `GEMINI_CASSETTE` for a whole suite of tests, and `GEMINI_CASSETTE_MODE` for what to do with it. */
const cassetteOf = ({ options }: ParsedArgv, env: Variables): Readonly<Record<string, OptionValue>> => {
  const file = nonBlank(env.GEMINI_CASSETTE)
  if (file === undefined || ANSWER_SOURCES.some((name) => options[name] !== undefined)) return {}
  switch (cassetteMode(env)) {
    case "record":
      return { record: file }
    case "auto":
      return { replay: file, onMiss: "record" }
    default:
      return { replay: file }
  }
}

const CASSETTE_MODES = ["replay", "record", "auto"]

const cassetteMode = (env: Variables): string => nonBlank(env.GEMINI_CASSETTE_MODE)?.trim().toLowerCase() ?? "replay"

type Variables = Readonly<Record<string, string | undefined>>

export const variableOf = (long: string): string => `GEMINI_${long.replaceAll("-", "_").toUpperCase()}`

const valueOfText = (row: OptionRow, text: string): OptionValue | undefined => {
  const { type } = row
  if (type === "list") return splitList([text])
  if (type === "texts") return [text]
  if (type !== "boolean") return text
  return flagOf(row, text)
}

/** A word for yes or no; where the option takes a value too, anything else is that. */
const flagOf = ({ value }: OptionRow, text: string): OptionValue | undefined => {
  const word = text.trim().toLowerCase()
  if (word === "true" || word === "1") return true
  if (word === "false" || word === "0") return false
  return value === undefined ? undefined : text
}
