/**
 * The outside has two doors, and everything passes through them: programs are started, and the network is reached, in
 * `src/system` only. This finds the ways around in the text of a file: it reads the syntax, so that neither a comment nor
 * a string counts, and an alias does. Nothing else may be called `fetch` either: nobody has to ask which one it is.
 */
import ts from "typescript"

export interface WayAround {
  readonly line: number
  readonly what: string
  /** The door that it goes around. */
  readonly door: string
}

const PROGRAMS = "src/system/programs.ts"
const NETWORK = "src/system/http"

/** Modules that start programs, and those that reach the network. */
const MODULES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(?:node:)?(?:child_process|cluster)$|^@effect\/platform\/Command(?:Executor)?$/, PROGRAMS],
  [
    /^(?:node:)?(?:http|https|http2|net|tls|dgram|dns|dns\/promises)$|^(?:undici|node-fetch|ws)$|^@effect\/platform\/(?:Fetch)?HttpClient$/,
    NETWORK
  ]
]

/** What `Bun` has for both; `$` is its shell. */
const MEMBERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["spawn", "spawnSync", "$"].map((name) => [name, PROGRAMS])),
  ...Object.fromEntries(
    ["fetch", "serve", "listen", "connect", "udpSocket", "FetchSession", "dns", "redis", "sql"].map((name) => [
      name,
      NETWORK
    ])
  )
}

const GLOBALS: ReadonlySet<string> = new Set(["fetch", "WebSocket", "EventSource", "XMLHttpRequest"])

export const waysAround = (file: string, text: string): ReadonlyArray<WayAround> => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Array<WayAround> = []
  const report = (node: ts.Node, what: string, door: string): void => {
    found.push({ line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, what, door })
  }
  const visit = (node: ts.Node): void => {
    const door = ts.isStringLiteralLike(node) && isModuleName(node) ? doorOfModule(node) : undefined
    if (door !== undefined) report(node, node.getText(source).replaceAll("'", '"'), door)
    if (ts.isIdentifier(node) && !isTypePlace(node)) {
      if (node.text === "Bun") {
        const used = memberOf(node)
        if (used === undefined) report(node, "an alias of Bun", PROGRAMS)
        else if (MEMBERS[used] !== undefined) report(node, `Bun.${used}`, MEMBERS[used])
      } else if (node.text === "globalThis" && memberOf(node) === undefined) {
        report(node, "an alias of globalThis", NETWORK)
      } else if (GLOBALS.has(node.text) && isVariable(node)) report(node, node.text, NETWORK)
    }
    if (ts.isStringLiteralLike(node) && GLOBALS.has(node.text) && isGlobalElement(node)) {
      report(node, node.text, NETWORK)
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

/** Types start nothing. Of `bun` itself only what is a way around is refused, and what brings all of it. */
const doorOfModule = ({ parent, text }: ts.StringLiteralLike): string | undefined => {
  const clause = ts.isImportDeclaration(parent) ? parent.importClause : undefined
  if (clause?.isTypeOnly === true) return undefined
  if (text !== "bun") return MODULES.find(([names]) => names.test(text))?.[1]
  if (!ts.isImportDeclaration(parent)) return PROGRAMS
  if (clause === undefined) return undefined
  const names = clause.namedBindings
  if (names === undefined || !ts.isNamedImports(names)) return PROGRAMS
  const member = names.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
  return member.map((name) => MEMBERS[name]).find((door) => door !== undefined)
}

/** `Bun.Subprocess` as a type, and a property of something else that happens to be called so. */
const isTypePlace = (node: ts.Identifier): boolean =>
  ts.isQualifiedName(node.parent) ||
  ts.isTypeQueryNode(node.parent) ||
  ts.isTypeReferenceNode(node.parent) ||
  (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node && !isGlobal(node.parent.expression))

/** A name of its own, read or declared: not the key of an object, nor a name inside of a type. */
const isVariable = (node: ts.Identifier): boolean => {
  const { parent } = node
  // `{ fetch: send }` names a key, `const { fetch } = options` a variable.
  if (ts.isPropertyAssignment(parent)) return parent.name !== node
  if (ts.isBindingElement(parent)) return parent.propertyName !== node
  if (ts.isParameter(parent)) return !ts.isFunctionTypeNode(parent.parent) && !ts.isMethodSignature(parent.parent)
  return !(
    ts.isPropertySignature(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isImportSpecifier(parent)
  )
}

const isGlobal = (node: ts.Node): boolean => ts.isIdentifier(node) && node.text === "globalThis"

const isGlobalElement = ({ parent }: ts.StringLiteralLike): boolean =>
  ts.isElementAccessExpression(parent) && isGlobal(parent.expression)

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
