/**
 * What is wrong with the arguments of a call, in the words of JSON Schema validators: `params/start_line must be >= 1`.
 * Models have seen these words often, and servers that check their own schemas answer in them too.
 */
import { Array as Arrays, Option, ParseResult, Predicate, SchemaAST } from "effect"

/** Arguments may be a megabyte, and a fault quotes them. */
const MAX_FAULT_CHARS = 2_000

export const argumentFaults = (error: ParseResult.ParseError): string => {
  const faults = Arrays.dedupe(faultsOf(error.issue, "params")).join(", ")
  return faults.length > MAX_FAULT_CHARS ? `${faults.slice(0, MAX_FAULT_CHARS)}...` : faults
}

/** `noun`: what a refinement around the value calls it, where that says more than its type. */
const faultsOf = (issue: ParseResult.ParseIssue, at: string, noun?: string): ReadonlyArray<string> => {
  switch (issue._tag) {
    case "Pointer":
      return pointed(issue, at)
    case "Composite":
      return composed(issue, at)
    case "Refinement":
      return refined(issue, at, noun)
    case "Transformation":
      return faultsOf(issue.issue, at, noun)
    case "Type":
      return [issue.message === undefined ? `${at} must be ${noun ?? nounOf(issue.ast)}` : `${at}: ${issue.message}`]
    default:
      return [`${at}: ${ParseResult.TreeFormatter.formatIssueSync(issue)}`]
  }
}

const pointed = ({ issue, path }: ParseResult.Pointer, at: string): ReadonlyArray<string> => {
  const keys = Arrays.ensure<PropertyKey | ReadonlyArray<PropertyKey>>(path).flat().map(String)
  const parent = [at, ...keys.slice(0, -1)].join("/")
  if (issue._tag === "Missing") return [`${parent} must have required property '${keys.at(-1)}'`]
  if (issue._tag === "Unexpected") return [`${parent} must not have the additional property '${keys.at(-1)}'`]
  return faultsOf(issue, [at, ...keys].join("/"))
}

const composed = ({ ast, issues }: ParseResult.Composite, at: string): ReadonlyArray<string> => {
  const all = Arrays.ensure<ParseResult.ParseIssue>(issues as ParseResult.SingleOrNonEmpty<ParseResult.ParseIssue>)
  if (!SchemaAST.isUnion(ast)) return all.flatMap((issue) => faultsOf(issue, at))
  const literals = ast.types.filter(SchemaAST.isLiteral)
  const meant = ast.types.filter((type) => !SchemaAST.isUndefinedKeyword(type))
  if (literals.length === meant.length && literals.length > 0) return [`${at} must be ${oneOf(literals)}`]
  // That an optional argument may also be left out is no help for one that is there.
  return all
    .filter((issue) => !(issue._tag === "Type" && SchemaAST.isUndefinedKeyword(issue.ast)))
    .flatMap((issue) => faultsOf(issue, at))
}

const refined = (issue: ParseResult.Refinement, at: string, noun: string | undefined): ReadonlyArray<string> => {
  const bounds = Option.getOrElse(SchemaAST.getJSONSchemaAnnotation(issue.ast), () => ({}))
  const own = "type" in bounds && bounds.type === "integer" ? "integer" : noun
  if (issue.kind === "From") return faultsOf(issue.issue, at, own)
  const message = SchemaAST.getMessageAnnotation(issue.ast).pipe(
    Option.map((text) => text(issue)),
    Option.filter(Predicate.isString)
  )
  if (Option.isSome(message)) return [`${at}: ${message.value}`]
  const said = boundText(bounds)
  return said === undefined ? faultsOf(issue.issue, at, own) : [`${at} must ${said}`]
}

const boundText = (bounds: object): string | undefined => {
  const found = Object.entries(bounds).find(([key]) => Object.hasOwn(BOUNDS, key))
  if (found !== undefined) return BOUNDS[found[0]]?.(String(found[1]))
  return "type" in bounds && Predicate.isString(bounds.type) ? `be ${bounds.type}` : undefined
}

const BOUNDS: Readonly<Record<string, (limit: string) => string>> = {
  minimum: (limit) => `be >= ${limit}`,
  maximum: (limit) => `be <= ${limit}`,
  exclusiveMinimum: (limit) => `be > ${limit}`,
  exclusiveMaximum: (limit) => `be < ${limit}`,
  minLength: (limit) => `NOT have fewer than ${limit} characters`,
  maxLength: (limit) => `NOT have more than ${limit} characters`,
  minItems: (limit) => `NOT have fewer than ${limit} items`,
  maxItems: (limit) => `NOT have more than ${limit} items`,
  pattern: (pattern) => `match pattern "${pattern}"`
}

const oneOf = (literals: ReadonlyArray<SchemaAST.Literal>): string =>
  `equal to one of the allowed values: ${literals.map(({ literal }) => JSON.stringify(literal)).join(", ")}`

const nounOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "StringKeyword":
      return "string"
    case "NumberKeyword":
      return "number"
    case "BooleanKeyword":
      return "boolean"
    case "TupleType":
      return "array"
    case "TypeLiteral":
      return "object"
    case "Literal":
      return oneOf([ast])
    case "Refinement":
      return nounOf(ast.from)
    default:
      return String(ast)
  }
}
