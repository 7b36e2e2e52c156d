/**
 * Checks arguments against a JSON Schema that is not ours. Loaded at the first call of such a tool.
 * Draft 7, or 2020-12 where the schema says so; unknown keywords are tolerated, formats are checked.
 */
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { JsonSchema } from "./gemini-schema.ts"

/** What is wrong, with `params` as the name of the whole; `null` when nothing is. */
export type ArgumentCheck = (args: unknown) => string | null

const MAX_FAULT_CHARS = 2_000

/** A schema that cannot be compiled checks nothing: the tool itself still will. */
export const argumentCheck = (schema: JsonSchema): ArgumentCheck => {
  const is2020 = typeof schema.$schema === "string" && schema.$schema.includes("2020-12")
  const options = { strict: false, allErrors: true, logger: false, addUsedSchema: false } as const
  const ajv = is2020 ? new Ajv2020(options) : new Ajv(options)
  addFormats.default(ajv)
  try {
    const validate = ajv.compile({ ...schema })
    return (args) =>
      validate(args) ? null : ajv.errorsText(validate.errors, { dataVar: "params" }).slice(0, MAX_FAULT_CHARS)
  } catch {
    return () => null
  }
}
