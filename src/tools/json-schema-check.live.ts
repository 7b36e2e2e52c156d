/**
 * Checks values against a JSON Schema that is not ours: arguments of foreign tools, answers of a form that the user
 * asked for. Loaded at the first use.
 * Draft 7, or 2020-12 where the schema says so; unknown keywords are tolerated, formats are checked.
 */
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Either } from "effect"
import type { JsonSchema } from "./gemini-schema.ts"

/** What is wrong, with `params` as the name of the whole; `null` when nothing is. */
export type ArgumentCheck = (args: unknown) => string | null

const MAX_FAULT_CHARS = 2_000

/** A schema that cannot be compiled checks nothing: the tool itself still will. */
export const argumentCheck = (schema: JsonSchema): ArgumentCheck =>
  Either.getOrElse(compileCheck(schema, "params"), () => () => null)

/** `name` stands for the whole value in what is said. Left: why the schema cannot be used. */
export const compileCheck = (schema: JsonSchema, name: string): Either.Either<ArgumentCheck, string> => {
  const is2020 = typeof schema.$schema === "string" && schema.$schema.includes("2020-12")
  const options = { strict: false, allErrors: true, logger: false, addUsedSchema: false } as const
  const ajv = is2020 ? new Ajv2020(options) : new Ajv(options)
  addFormats.default(ajv)
  return Either.try({
    try: () => {
      const validate = ajv.compile({ ...schema })
      return (value) =>
        validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: name }).slice(0, MAX_FAULT_CHARS)
    },
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause)).slice(0, MAX_FAULT_CHARS)
  })
}
