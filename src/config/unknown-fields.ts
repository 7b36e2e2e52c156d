/**
 * Keys inside object-valued settings that nobody reads: told with the one that was probably meant, like unknown settings.
 * An object that is open on purpose, because its inside belongs to somebody else, has none.
 */
import { Predicate, type SchemaAST } from "effect"
import { closestName } from "../kernel/closest-name.ts"
import type { Fault } from "./decode-setting.ts"

/** In the order of the text. Keys of a value that does not fit are nobody's. */
export const unknownFields = (
  ast: SchemaAST.AST,
  value: unknown,
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<Fault> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return Predicate.isRecord(value) ? inObject(ast, value, path) : []
    case "TupleType":
      return Array.isArray(value) ? value.flatMap((one, index) => inElement(ast, one, [...path, index])) : []
    case "Refinement":
    case "Transformation":
      return unknownFields(ast.from, value, path)
    case "Suspend":
      return unknownFields(ast.f(), value, path)
    case "Union":
      return fewest(ast.types.filter((type) => fits(type, value)).map((type) => unknownFields(type, value, path)))
    default:
      return []
  }
}

const inObject = (
  { indexSignatures, propertySignatures }: SchemaAST.TypeLiteral,
  value: Readonly<Record<PropertyKey, unknown>>,
  path: ReadonlyArray<PropertyKey>
): ReadonlyArray<Fault> => {
  // `object` and `{}` say nothing about what is inside.
  if (indexSignatures.length === 0 && propertySignatures.length === 0) return []
  return Object.keys(value).flatMap((name) => {
    const known = propertySignatures.find((property) => property.name === name)
    const type = known?.type ?? indexSignatures[0]?.type
    if (type !== undefined) return unknownFields(type, value[name], [...path, name])
    const near = closestName(
      name,
      propertySignatures.map((property) => String(property.name))
    )
    return [{ path: [...path, name], message: `unknown key${near === undefined ? "" : ` (did you mean ${near}?)`}` }]
  })
}

const inElement = ({ elements, rest }: SchemaAST.TupleType, value: unknown, path: ReadonlyArray<PropertyKey>) => {
  const type = elements[Number(path.at(-1))]?.type ?? rest[0]?.type
  return type === undefined ? [] : unknownFields(type, value, path)
}

/** Only the kind: the details were checked before. */
const fits = (ast: SchemaAST.AST, value: unknown): boolean => {
  if (ast._tag === "Refinement" || ast._tag === "Transformation") return fits(ast.from, value)
  if (ast._tag === "TypeLiteral") return Predicate.isRecord(value)
  if (ast._tag === "TupleType") return Array.isArray(value)
  return !Predicate.isObject(value)
}

const fewest = (found: ReadonlyArray<ReadonlyArray<Fault>>): ReadonlyArray<Fault> =>
  found.toSorted((one, other) => one.length - other.length)[0] ?? []
