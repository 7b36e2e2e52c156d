/**
 * From JSON Schema to the parameters of a Gemini function declaration.
 *
 * The API has two fields for them: `parametersJsonSchema` (plain JSON Schema) and the older `parameters` (a subset of
 * OpenAPI 3.0, also behind gateways and on Vertex). The form made here fits both:
 *   - references are written out, so that the schema stands alone; a schema that contains itself ends in a plain object;
 *   - `allOf` is folded into its parent, `oneOf` is an `anyOf`, `const` an `enum` of one;
 *   - `enum` holds strings only; other values are named in the description;
 *   - `null`, as a branch or in a list of types, becomes `nullable`; a list of several types becomes a union;
 *   - a union stands alone, without fields beside it;
 *   - a tuple becomes a list of any of its members;
 *   - titles and everything the API does not know are dropped.
 *
 * Nothing is refused: a foreign schema may be strange, and a looser declaration is better than a missing tool.
 */
import { JSONSchema, Predicate, type Schema } from "effect"

export type JsonSchema = { readonly [key: string]: unknown }

export const toGeminiParameters = (schema: Schema.Schema.AnyNoContext): JsonSchema =>
  fromJsonSchema({ ...JSONSchema.make(schema) })

/** For schemas that are not ours: discovered and MCP tools. */
export const fromJsonSchema = (schema: JsonSchema): JsonSchema => {
  const { type, ...rest } = rewrite(schema, { root: schema, budget: { nodes: MAX_NODES }, path: [] })
  // The root of a declaration is always an object, also where the schema says nothing or "object or array".
  return type === "object" ? { type, ...rest } : { type: "object", properties: {} }
}

/** References can make a small schema huge; what is beyond this stays a plain object. */
const MAX_NODES = 2_000
const MAX_DEPTH = 24

const KEPT = [
  "type",
  "format",
  "description",
  "enum",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "default",
  "nullable",
  "required"
] as const

interface Place {
  readonly root: JsonSchema
  readonly budget: { nodes: number }
  /** References and fields on the way here. */
  readonly path: ReadonlyArray<string>
}

const rewrite = (node: JsonSchema, place: Place): JsonSchema => {
  place.budget.nodes -= 1
  if (place.budget.nodes < 0 || place.path.length > MAX_DEPTH) return { type: "object", ...described(node) }
  if (Predicate.isString(node.$ref)) return rewriteReference(node, node.$ref, place)
  if (Array.isArray(node.allOf)) return rewrite(foldAll(node, place), place)
  const branches = branchesOf(node)
  if (branches !== null) return rewriteUnion(node, branches, place)
  return rewritePlain(withConstAsEnum(node), place)
}

const rewriteReference = (node: JsonSchema, reference: string, place: Place): JsonSchema => {
  if (place.path.includes(reference)) return { type: "object", ...described(node) }
  const { $ref: _, ...own } = node
  return rewrite({ ...lookUp(place.root, reference), ...own }, below(place, reference))
}

/** What a reference of the form `#/a/b` points to; an empty schema, which allows all, for any other. */
const lookUp = (root: JsonSchema, reference: string): JsonSchema => {
  if (!reference.startsWith("#/")) return {}
  let found: unknown = root
  for (const key of reference.slice(2).split("/")) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~")
    found = Predicate.isReadonlyRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return asRecord(found)
}

const foldAll = (node: JsonSchema, place: Place): JsonSchema => {
  const { allOf, ...own } = node
  const parts = asList(allOf).map((part) => rewrite(asRecord(part), below(place, "&")))
  const properties = Object.assign({}, ...[...parts, own].map((part) => asRecord(part.properties)))
  const required = [...new Set([...parts, own].flatMap((part) => asList(part.required)))]
  return {
    ...Object.assign({}, ...parts, own),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required })
  }
}

/** `null` for a schema that is not a union. */
const branchesOf = (node: JsonSchema): ReadonlyArray<JsonSchema> | null => {
  const listed = asList(node.anyOf ?? node.oneOf).map(asRecord)
  if (listed.length > 0) return listed
  const { type, ...rest } = node
  return Array.isArray(type) ? type.map((name) => ({ ...rest, type: name })) : null
}

const rewriteUnion = (node: JsonSchema, branches: ReadonlyArray<JsonSchema>, place: Place): JsonSchema => {
  const { anyOf: _, oneOf: __, type: ___, ...own } = node
  const present = branches.filter((branch) => branch.type !== "null" && branch.const !== null)
  const isNullable = present.length < branches.length
  const [only] = present
  if (present.length === 1 && only !== undefined) {
    const single = rewrite({ ...only, ...own }, place)
    return isNullable ? { ...single, nullable: true } : single
  }
  return {
    anyOf: present.map((branch) => rewrite({ ...described(node), ...branch }, below(place, "|"))),
    ...(isNullable ? { nullable: true } : {})
  }
}

const withConstAsEnum = (node: JsonSchema): JsonSchema => {
  if (!Object.hasOwn(node, "const")) return node
  return { type: typeof node.const, ...node, enum: [node.const] }
}

const rewritePlain = (node: JsonSchema, place: Place): JsonSchema => {
  const kept: Record<string, unknown> = {}
  for (const key of KEPT) if (Object.hasOwn(node, key)) kept[key] = node[key]
  if (asList(node.required).length === 0) delete kept.required
  const values = asList(node.enum)
  if (values.some((value) => !Predicate.isString(value))) {
    delete kept.enum
    kept.description = [node.description, `One of: ${values.map((value) => JSON.stringify(value)).join(", ")}.`]
      .filter(Predicate.isString)
      .join(" ")
  }
  if (node.items !== undefined || node.prefixItems !== undefined) kept.items = itemsOf(node, place)
  if (Predicate.isReadonlyRecord(node.properties)) {
    kept.type ??= "object"
    kept.properties = Object.fromEntries(
      Object.entries(node.properties).map(([name, field]) => [name, rewrite(asRecord(field), below(place, name))])
    )
  }
  return kept
}

const itemsOf = (node: JsonSchema, place: Place): JsonSchema => {
  const members = [...asList(node.prefixItems), ...(Array.isArray(node.items) ? node.items : [])]
  if (members.length === 0) return rewrite(asRecord(node.items), below(place, "[]"))
  return rewrite({ anyOf: members }, below(place, "[]"))
}

const below = (place: Place, step: string): Place => ({ ...place, path: [...place.path, step] })

const described = (node: JsonSchema): JsonSchema =>
  Predicate.isString(node.description) ? { description: node.description } : {}

const asRecord = (value: unknown): JsonSchema => (Predicate.isReadonlyRecord(value) ? value : {})
const asList = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
