/**
 * What the Gemini API refuses about a request, as one pure function: the strict mode of the scripted server answers 400
 * with its text. Covers the order of roles, the pairing of calls and responses, thought signatures, tool declarations.
 */
import { Predicate } from "effect"

export interface Strictness {
  /** The first call of each model content since the last user text must carry a thought signature. */
  readonly signatures?: boolean
  /** Every call has an id, and no other call of the same content has it. */
  readonly ids?: boolean
}

type Json = Readonly<Record<string, unknown>>

/** The first violation, in the words of a server; `undefined` when the request is acceptable. */
export const violationOf = (body: unknown, strictness: Strictness = {}): string | undefined => {
  if (!Predicate.isRecord(body)) return "the request body is not a JSON object"
  const contents = listOf(body.contents)
  if (contents.length === 0) return "contents is not specified"
  return (
    violationOfRoles(contents) ??
    violationOfParts(contents) ??
    violationOfPairs(contents) ??
    (strictness.ids === true ? violationOfIds(contents) : undefined) ??
    (strictness.signatures === true ? violationOfSignatures(contents) : undefined) ??
    violationOfTools(listOf(body.tools))
  )
}

const violationOfRoles = (contents: ReadonlyArray<Json>): string | undefined => {
  for (const [index, content] of contents.entries()) {
    const role = content.role
    if (role !== "user" && role !== "model") return `contents[${index}]: valid roles are user and model, not ${role}`
    if (index === 0 && role !== "user") return "contents[0]: a conversation begins with the user"
    if (index > 0 && role === contents[index - 1]?.role) return `contents[${index}]: two contents of ${role} in a row`
  }
  return contents.at(-1)?.role === "model" ? "the last content must be of the user" : undefined
}

/** What a part may be; exactly one of these stands in it. */
const PART_KINDS = [
  "text",
  "functionCall",
  "functionResponse",
  "inlineData",
  "fileData",
  "executableCode",
  "codeExecutionResult"
]

const violationOfParts = (contents: ReadonlyArray<Json>): string | undefined => {
  for (const [index, content] of contents.entries()) {
    const parts = listOf(content.parts)
    if (parts.length === 0) return `contents[${index}].parts must not be empty`
    for (const [at, part] of parts.entries()) {
      const kinds = PART_KINDS.filter((kind) => Object.hasOwn(part, kind))
      if (kinds.length !== 1)
        return `contents[${index}].parts[${at}]: required oneof field 'data' must have one initialized field`
    }
  }
  return undefined
}

const violationOfPairs = (contents: ReadonlyArray<Json>): string | undefined => {
  for (const [index, content] of contents.entries()) {
    const calls = callsOf(content)
    const responses = responsesOf(contents[index + 1])
    if (content.role === "model" && calls.length !== responses.length) {
      return `contents[${index}]: the number of function response parts (${responses.length}) must equal the number of function call parts (${calls.length})`
    }
    if (index === 0 && responsesOf(content).length > 0)
      return "contents[0]: a function response must come after a function call"
    if (content.role !== "model") continue
    const open = [...calls]
    for (const response of responses) {
      const at = open.findIndex((item) => answers(response, item))
      if (at < 0) return `contents[${index + 1}]: the response for "${response.name}" answers no function call`
      open.splice(at, 1)
    }
  }
  return undefined
}

const answers = (response: Json, item: Json): boolean =>
  response.name === item.name && (item.id === undefined || response.id === item.id)

const violationOfIds = (contents: ReadonlyArray<Json>): string | undefined => {
  for (const [index, content] of contents.entries()) {
    const ids = callsOf(content).map(({ id }) => id)
    if (ids.some((id) => typeof id !== "string" || id === "")) return `contents[${index}]: a function call has no id`
    if (new Set(ids).size < ids.length) return `contents[${index}]: two function calls have one id`
  }
  return undefined
}

/** Only the current turn is looked at: everything since the last content in which the user said something. */
const violationOfSignatures = (contents: ReadonlyArray<Json>): string | undefined => {
  const turnStart = contents.findLastIndex((content) => content.role === "user" && responsesOf(content).length === 0)
  for (const [index, content] of contents.entries()) {
    if (index < turnStart || content.role !== "model") continue
    const first = listOf(content.parts).find((part) => Object.hasOwn(part, "functionCall"))
    if (first !== undefined && typeof first.thoughtSignature !== "string") {
      return `contents[${index}]: function call is missing a thought_signature`
    }
  }
  return undefined
}

const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/

const SCHEMA_KEYWORDS = new Set([
  "$ref",
  "$defs",
  "$id",
  "$anchor",
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "items",
  "prefixItems",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "pattern",
  "anyOf",
  "oneOf",
  "properties",
  "additionalProperties",
  "required",
  "propertyOrdering",
  "default",
  "example"
])

const violationOfTools = (tools: ReadonlyArray<Json>): string | undefined => {
  const seen = new Set<string>()
  for (const declaration of tools.flatMap((tool) => listOf(tool.functionDeclarations))) {
    const name = String(declaration.name)
    if (!TOOL_NAME.test(name)) return `invalid function name "${name}"`
    if (seen.has(name)) return `duplicate function declaration found: ${name}`
    seen.add(name)
    const schema = declaration.parametersJsonSchema ?? declaration.parameters
    const violation = schema === undefined ? undefined : violationOfSchema(schema, `${name}.parameters`)
    if (violation !== undefined) return violation
  }
  return undefined
}

const violationOfSchema = (schema: unknown, path: string): string | undefined => {
  if (typeof schema === "boolean") return undefined
  if (!Predicate.isRecord(schema)) return `${path}: a schema must be an object`
  for (const [keyword, value] of Object.entries(schema)) {
    if (!SCHEMA_KEYWORDS.has(keyword)) return `${path}: unknown keyword "${keyword}"`
    for (const [name, child] of childrenOf(keyword, value)) {
      const violation = violationOfSchema(child, `${path}.${name}`)
      if (violation !== undefined) return violation
    }
  }
  const required = schema.required
  const properties = Predicate.isRecord(schema.properties) ? schema.properties : {}
  const missing = Array.isArray(required)
    ? required.find((name) => !Object.hasOwn(properties, String(name)))
    : undefined
  return missing === undefined ? undefined : `${path}.required: property "${missing}" is not defined`
}

const childrenOf = (keyword: string, value: unknown): ReadonlyArray<readonly [string, unknown]> => {
  if (keyword === "properties" || keyword === "$defs") return Predicate.isRecord(value) ? Object.entries(value) : []
  if (keyword === "items" || keyword === "additionalProperties") return [[keyword, value]]
  if (!Array.isArray(value) || !["anyOf", "oneOf", "prefixItems"].includes(keyword)) return []
  return value.map((child, index) => [`${keyword}[${index}]`, child])
}

const callsOf = (content: Json | undefined): ReadonlyArray<Json> => partsNamed(content, "functionCall")
const responsesOf = (content: Json | undefined): ReadonlyArray<Json> => partsNamed(content, "functionResponse")

const partsNamed = (content: Json | undefined, kind: string): ReadonlyArray<Json> =>
  listOf(content?.parts)
    .map((part) => part[kind])
    .filter(Predicate.isRecord)

const listOf = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(Predicate.isRecord) : [])
