/**
 * A text against one of our schemas: each fault with its line and its place in the data. Loaded only where something is
 * checked.
 */
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js"
import { Either, Predicate } from "effect"
import { parse as parseToml, TomlError } from "smol-toml"
import { parseJsonc, placeOf, plainValue } from "../../config/jsonc-node.ts"
import { headerLines, keyLine } from "../../policy/toml-lines.ts"
import type { JsonSchemaDocument, SchemaForm } from "./schema-list.ts"

export interface TextFault {
  /** From 1. */
  readonly line: number
  /** Such as `stats.models`; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** So many are enough to find what is wrong. */
const MAX_FAULTS = 20

export const checkText = (schema: JsonSchemaDocument, form: SchemaForm, text: string): ReadonlyArray<TextFault> => {
  const check = valueCheck(schema)
  if (form === "toml") return checkToml(check, text).slice(0, MAX_FAULTS)
  if (form === "json") return checkJson(check, text, 0).slice(0, MAX_FAULTS)
  return text
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : checkJson(check, line, index)))
    .slice(0, MAX_FAULTS)
}

interface ValueFault {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}
type ValueCheck = (value: unknown) => ReadonlyArray<ValueFault>

/** Of a union, only the member that the `type` of a value names: what the others would miss says nothing. */
export const valueCheck = (schema: JsonSchemaDocument): ValueCheck => {
  const members = new Map<string, ValueCheck>()
  const compile = ({ $id: _, ...part }: JsonSchemaDocument): ValueCheck => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, addUsedSchema: false })
    const validate = ajv.compile(part)
    return (value) => (validate(value) ? [] : (validate.errors ?? []).flatMap(faultOf))
  }
  for (const member of Array.isArray(schema.anyOf) ? schema.anyOf : []) {
    const type = typeNamedIn(member)
    if (type !== undefined) members.set(type, compile({ ...member, $defs: schema.$defs }))
  }
  if (members.size === 0) return compile(schema)
  return (value) => {
    const type = Predicate.hasProperty(value, "type") ? value.type : undefined
    const member = typeof type === "string" ? members.get(type) : undefined
    if (member !== undefined) return member(value)
    return [{ path: ["type"], message: `must be one of ${[...members.keys()].join(", ")}` }]
  }
}

const typeNamedIn = (member: unknown): string | undefined => {
  if (!Predicate.hasProperty(member, "properties") || !Predicate.hasProperty(member.properties, "type"))
    return undefined
  const { type } = member.properties
  if (Predicate.hasProperty(type, "const") && typeof type.const === "string") return type.const
  const only = Predicate.hasProperty(type, "enum") && Array.isArray(type.enum) ? type.enum : []
  return only.length === 1 && typeof only[0] === "string" ? only[0] : undefined
}

const faultOf = ({ instancePath, keyword, message, params }: ErrorObject): ReadonlyArray<ValueFault> => {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  // What the branches of a choice say is said already.
  if (keyword === "anyOf") return []
  if (keyword === "additionalProperties") {
    return [{ path: [...path, String(params.additionalProperty)], message: "is not known" }]
  }
  const allowed: unknown = params.allowedValues
  const values = Array.isArray(allowed) ? `: ${allowed.map((value) => JSON.stringify(value)).join(", ")}` : ""
  return [{ path, message: `${message ?? "is not valid"}${values}` }]
}

const checkJson = (check: ValueCheck, text: string, linesBefore: number): ReadonlyArray<TextFault> => {
  const parsed = parseJsonc(text)
  if (parsed.kind === "empty") return [{ line: linesBefore + 1, path: "", message: "is empty" }]
  if (parsed.kind === "broken") {
    return parsed.faults.map(({ line, message }) => ({ line: linesBefore + line, path: "", message }))
  }
  const { root } = parsed
  return check(plainValue(root)).map(({ message, path }) => ({
    line: linesBefore + placeOf(text, root, path).line,
    path: path.join("."),
    message
  }))
}

const checkToml = (check: ValueCheck, text: string): ReadonlyArray<TextFault> => {
  const parsed = Either.try({ try: () => parseToml(text), catch: (cause) => cause })
  if (Either.isLeft(parsed)) {
    const { left } = parsed
    const [message = "cannot be read"] = (left instanceof Error ? left.message : String(left)).split("\n")
    return [{ line: left instanceof TomlError ? left.line : 1, path: "", message }]
  }
  return check(parsed.right).map(({ message, path }) => ({
    line: tomlLine(text, path),
    path: path.join("."),
    message
  }))
}

const tomlLine = (text: string, [table, index, ...rest]: ReadonlyArray<string | number>): number => {
  const header = headerLines(text, String(table))[typeof index === "number" ? index : 0]
  const key = typeof index === "number" ? rest : [index, ...rest]
  return (key.length === 0 ? undefined : keyLine(text, header ?? 0, key.join("."))) ?? header ?? 1
}
