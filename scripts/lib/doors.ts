/**
 * The outside has few doors, and everything passes through them: child processes are started in `src/system` only. This
 * finds the ways around in the text of a file: it reads the syntax, so that neither a comment nor a string counts, and an
 * alias does.
 */
import ts from "typescript"

export interface WayAround {
  readonly line: number
  readonly what: string
}

/** Modules that start programs. */
const MODULES = /^(?:node:)?child_process$|^(?:node:)?cluster$|^@effect\/platform\/Command(?:Executor)?$/

/** What `Bun` has for starting programs; `$` is its shell. */
const STARTERS: ReadonlySet<string> = new Set(["spawn", "spawnSync", "$"])

export const waysAround = (file: string, text: string): ReadonlyArray<WayAround> => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Array<WayAround> = []
  const report = (node: ts.Node, what: string): void => {
    found.push({ line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, what })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && isModuleName(node) && isForbiddenModule(node)) report(node, `"${node.text}"`)
    if (ts.isIdentifier(node) && node.text === "Bun" && !isTypePlace(node)) {
      const used = memberOf(node)
      if (used === undefined) report(node, "an alias of Bun")
      else if (STARTERS.has(used)) report(node, `Bun.${used}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** `import … from "x"`, `import("x")`, `require("x")`, `process.getBuiltinModule("x")`. */
const isModuleName = ({ parent }: ts.StringLiteralLike): boolean =>
  ts.isImportDeclaration(parent) ||
  ts.isExportDeclaration(parent) ||
  (ts.isCallExpression(parent) && LOADS.test(parent.expression.getText()))

const LOADS = /^(?:import|require|.*\b(?:require|getBuiltinModule|resolve))$/

/** Of `bun` itself only what starts programs is refused, and what brings all of it. */
const isForbiddenModule = ({ parent, text }: ts.StringLiteralLike): boolean => {
  if (MODULES.test(text)) return true
  if (text !== "bun") return false
  if (!ts.isImportDeclaration(parent)) return true
  const clause = parent.importClause
  if (clause === undefined || clause.isTypeOnly) return false
  const names = clause.namedBindings
  return (
    names === undefined ||
    !ts.isNamedImports(names) ||
    names.elements.some(({ name, propertyName }) => STARTERS.has((propertyName ?? name).text))
  )
}

/** `Bun.Subprocess` as a type, and a property of something else that happens to be called so. */
const isTypePlace = (node: ts.Identifier): boolean =>
  ts.isQualifiedName(node.parent) ||
  ts.isTypeQueryNode(node.parent) ||
  (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node && !isGlobal(node.parent.expression))

const isGlobal = (node: ts.Expression): boolean => ts.isIdentifier(node) && node.text === "globalThis"

/** The name after `Bun.`; `undefined` where `Bun` is handed on as a whole. */
const memberOf = (node: ts.Identifier): string | undefined => {
  const whole = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node ? node.parent : node
  const { parent } = whole
  if (ts.isPropertyAccessExpression(parent) && parent.expression === whole) return parent.name.text
  if (ts.isElementAccessExpression(parent) && ts.isStringLiteralLike(parent.argumentExpression)) {
    return parent.argumentExpression.text
  }
  return undefined
}
