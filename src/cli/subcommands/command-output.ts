/** Results of sub-commands on standard output, as text or as JSON. */
import { Effect } from "effect"
import { jsonText } from "../../kernel/readable-text.ts"
import { CliContext } from "../cli-context.ts"

export const jsonDocument = (value: unknown): string => `${jsonText(value, 2)}\n`

/** Nothing is written for no text. */
export const print = (text: string) =>
  Effect.flatMap(CliContext, (context) => (text === "" ? Effect.void : context.write(text)))

export const printJson = (value: unknown) => print(jsonDocument(value))

/** Lines without the last line break, or the same as data. */
export const printResult = (result: { readonly json: boolean }, text: string, data: unknown) =>
  result.json ? printJson(data) : print(text === "" ? "" : `${text}\n`)
