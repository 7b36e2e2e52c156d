/** Options by variables: what `GEMINI_<NAME>` says counts where the command line says nothing. */
import { Either } from "effect"
import { nonBlank } from "../kernel/non-blank.ts"
import { type OptionRow, propertyOf } from "./option-row.ts"
import { type OptionValue, type ParsedArgv, splitList } from "./parse-argv.ts"
import { type UsageError, usageError } from "./usage-error.ts"

export const withVariables = (
  rows: ReadonlyArray<OptionRow & { readonly hasVariable?: true }>,
  parsed: ParsedArgv,
  env: Readonly<Record<string, string | undefined>>
): Either.Either<ParsedArgv, UsageError> => {
  const added: Record<string, OptionValue> = {}
  for (const row of rows) {
    if (row.hasVariable !== true || parsed.options[propertyOf(row.long)] !== undefined) continue
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

export const variableOf = (long: string): string => `GEMINI_${long.replaceAll("-", "_").toUpperCase()}`

const valueOfText = ({ type }: OptionRow, text: string): OptionValue | undefined => {
  if (type === "list") return splitList([text])
  if (type === "texts") return [text]
  if (type !== "boolean") return text
  const word = text.trim().toLowerCase()
  if (word === "true" || word === "1") return true
  return word === "false" || word === "0" ? false : undefined
}
