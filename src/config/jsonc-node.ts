/**
 * A user's JSON text as a tree that knows where everything stands. Comments, a byte order mark and trailing commas are
 * fine; anything else that is not JSON is reported with its place. Loaded only when there is a file to read.
 */
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode
} from "jsonc-parser"
import { positionAt, type TextPosition } from "../kernel/text-position.ts"
import { isForbiddenName } from "./merge.ts"

export type { Node } from "jsonc-parser"

export interface SyntaxFault extends TextPosition {
  readonly message: string
}

export type ParsedJsonc =
  | { readonly kind: "empty" }
  | { readonly kind: "tree"; readonly root: Node }
  | { readonly kind: "broken"; readonly faults: ReadonlyArray<SyntaxFault> }

/** More faults than this are consequences of the first ones. */
const MAX_FAULTS = 5

export const parseJsonc = (text: string): ParsedJsonc => {
  const errors: Array<ParseError> = []
  const root = readTree(text, errors)
  if (root === "too-deep") return { kind: "broken", faults: [{ line: 1, column: 1, message: "is nested too deeply" }] }
  if (errors.length > 0) {
    const faults = errors
      .slice(0, MAX_FAULTS)
      .map((error) => ({ ...positionAt(text, error.offset), message: describe(error.error) }))
    return { kind: "broken", faults }
  }
  return root === undefined ? { kind: "empty" } : { kind: "tree", root }
}

const readTree = (text: string, errors: Array<ParseError>): Node | undefined | "too-deep" => {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  } catch (error) {
    // The parser recurses; only the depth of the text can make it fail.
    if (error instanceof RangeError) return "too-deep"
    throw error
  }
}

/** Name and value nodes of an object, in the order of the file. */
export const properties = (node: Node): ReadonlyArray<{ readonly name: Node; readonly value: Node }> =>
  (node.children ?? []).flatMap(({ children }) => {
    const [name, value] = children ?? []
    return name === undefined || value === undefined ? [] : [{ name, value }]
  })

/** The plain value; of repeated names the last counts, and names that could reach a prototype are left out. */
export const plainValue = (node: Node): unknown => {
  if (node.type === "array") return (node.children ?? []).map(plainValue)
  if (node.type !== "object") return node.value
  return Object.fromEntries(
    properties(node)
      .filter(({ name }) => !isForbiddenName(String(name.value)))
      .map(({ name, value }) => [String(name.value), plainValue(value)])
  )
}

/** Where `path` below `node` stands in the text; the place of `node` itself when there is no such path. */
export const placeOf = (text: string, node: Node, path: ReadonlyArray<PropertyKey>): TextPosition => {
  const steps = path.map((step) => (typeof step === "number" ? step : String(step)))
  return positionAt(text, (findNodeAtLocation(node, steps) ?? node).offset)
}

const describe = (code: ParseErrorCode): string => {
  const name = printParseErrorCode(code)
  return Object.hasOwn(DESCRIPTIONS, name) ? (DESCRIPTIONS[name] ?? name) : "this is not JSON"
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is not JSON: strings and names stand in double quotes",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: 'a name in double quotes or "}" is expected here',
  ValueExpected: "a value is expected here",
  ColonExpected: 'a ":" is expected here',
  CommaExpected: 'a "," is expected here',
  CloseBraceExpected: 'a "}" is missing here',
  CloseBracketExpected: 'a "]" is missing here',
  EndOfFileExpected: "the text should end here",
  UnexpectedEndOfComment: "the comment has no end",
  UnexpectedEndOfString: "the string has no end",
  UnexpectedEndOfNumber: "the number is cut off",
  InvalidUnicode: "this escape sequence does not exist in JSON",
  InvalidEscapeCharacter: "this escape sequence does not exist in JSON",
  InvalidCharacter: "this character must be escaped inside a string"
}
