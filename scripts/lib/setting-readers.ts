/**
 * Nothing is accepted and then ignored: every setting has a reader, or its row says why it has none. A reader is a call of
 * `get` with the key written out, or with a template whose fixed beginning is that of the key. What else people and models
 * write (options, arguments of tools, fields of files) is read where a property of that name is.
 */
import type { SchemaAST } from "effect"
import ts from "typescript"

export interface Readers {
  readonly keys: ReadonlySet<string>
  /** Beginnings, such as `hooks.` of `settings.get(`hooks.${event}`)`. */
  readonly beginnings: ReadonlySet<string>
}

export const readersIn = (file: string, text: string): Readers => {
  const keys = new Set<string>()
  const beginnings = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isGet(node.expression)) {
      const [key] = node.arguments
      if (key !== undefined && ts.isStringLiteralLike(key)) keys.add(key.text)
      if (key !== undefined && ts.isTemplateExpression(key)) beginnings.add(key.head.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return { keys, beginnings }
}

/** Properties that the text reads: `options.model`, `({ model }) =>`, or by name, `textOf(options, "model")`. */
export const propertiesRead = (file: string, text: string): ReadonlySet<string> => {
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) names.add(node.name.text)
    if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
      names.add(node.argumentExpression.text)
    }
    if (ts.isCallExpression(node)) {
      for (const argument of node.arguments) if (ts.isStringLiteralLike(argument)) names.add(argument.text)
    }
    if (ts.isBindingElement(node)) {
      const name = node.propertyName ?? node.name
      if (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) names.add(name.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return names
}

/** What people or models may write, and where it has to be read. */
export interface Written {
  /** For the message, such as `argument of glob`. */
  readonly what: string
  readonly names: ReadonlyArray<string>
  /** Beginnings of paths of the files that count as readers. */
  readonly within: ReadonlyArray<string>
}

/** Names that no file reads, a line each. */
export const unread = (written: Written, files: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> => {
  const { names, what, within } = written
  const readers = [...files].flatMap(([file, read]) => (within.some((start) => file.startsWith(start)) ? [read] : []))
  return names
    .filter((name) => !readers.some((read) => read.has(name)))
    .map((name) => `${what}: ${name} is read by nobody`)
}

/** The names of all fields of a schema, at every depth. */
export const fieldNames = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return [
        ...ast.propertySignatures.flatMap(({ name, type }) => [String(name), ...fieldNames(type)]),
        ...ast.indexSignatures.flatMap(({ type }) => fieldNames(type))
      ]
    case "TupleType":
      return [...ast.elements, ...ast.rest].flatMap(({ type }) => fieldNames(type))
    case "Refinement":
    case "Transformation":
      return fieldNames(ast.from)
    case "Union":
      return ast.types.flatMap(fieldNames)
    default:
      return []
  }
}

const isGet = (callee: ts.Expression): boolean =>
  (ts.isPropertyAccessExpression(callee) && callee.name.text === "get") ||
  (ts.isIdentifier(callee) && callee.text === "get")

export interface SettingRowFacts {
  readonly key: string
  readonly isForScreen: boolean
  readonly isUnsupported: boolean
}

/** What is wrong with the table, a line each. */
export const settingFaults = (rows: ReadonlyArray<SettingRowFacts>, readers: Readers): ReadonlyArray<string> =>
  rows.flatMap(({ isForScreen, isUnsupported, key }) => {
    const isRead =
      readers.keys.has(key) || [...readers.beginnings].some((start) => start !== "" && key.startsWith(start))
    if (isRead && (isUnsupported || isForScreen)) return [`${key} is read, and its row says that it is not`]
    return isRead || isUnsupported || isForScreen ? [] : [`${key} is read by nobody: say so in its row (unsupported)`]
  })
