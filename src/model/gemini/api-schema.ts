/**
 * Schemas in the API's older spelling: types in capitals, `nullable` in place of a null type. JSON Schema has fields of
 * its own; what settings write into the older ones is rewritten as the official SDK does it. What no rewriting could
 * save goes as it is: the API says best what is wrong with it.
 */
import { Predicate } from "effect"

type Fields = { readonly [key: string]: unknown }

const TYPES = new Set(["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"])

export const apiSchema = (given: unknown): unknown => {
  if (!Predicate.isReadonlyRecord(given)) return given
  const choice = Array.isArray(given.anyOf) && given.anyOf.length === 2 ? given.anyOf : []
  const nullAt = choice.findIndex(isNull)
  // Null or one other thing: the other takes the place of the choice.
  return nullAt === -1 ? rewritten(given) : { nullable: true, ...rewritten(choice[1 - nullAt]) }
}

const rewritten = (schema: Fields): Fields => {
  const written: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    if (value !== null && value !== undefined) Object.assign(written, rewrittenField(name, value))
  }
  return written
}

const rewrittenField = (name: string, value: unknown): Fields => {
  if (name === "type") return Array.isArray(value) ? typeChoice(value) : { type: typeName(value) }
  if (name === "items") return { items: apiSchema(value) }
  if (name === "anyOf" && Array.isArray(value)) return orNull({ anyOf: value.filter(isOther).map(apiSchema) }, value)
  if (name === "properties" && Predicate.isReadonlyRecord(value)) {
    return { properties: Object.fromEntries(Object.entries(value).map(([key, each]) => [key, apiSchema(each)])) }
  }
  // The older spelling has no word for it.
  return name === "additionalProperties" ? {} : { [name]: value }
}

/** Several types: a choice between them. */
const typeChoice = (types: ReadonlyArray<unknown>): Fields => {
  const others = types.filter((type) => type !== "null").map(typeName)
  const [only] = others
  return orNull(others.length === 1 ? { type: only } : { anyOf: others.map((type) => ({ type })) }, types)
}

const orNull = (fields: Fields, choice: ReadonlyArray<unknown>): Fields =>
  choice.some((each) => each === "null" || isNull(each)) ? { nullable: true, ...fields } : fields

const typeName = (type: unknown): string => {
  const name = String(type).toUpperCase()
  return TYPES.has(name) ? name : "TYPE_UNSPECIFIED"
}

const isNull = (schema: unknown): boolean => Predicate.isReadonlyRecord(schema) && schema.type === "null"
const isOther = (schema: unknown): boolean => !isNull(schema)
