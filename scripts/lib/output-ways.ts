/**
 * Finds every way in which a source file could write to standard output or error, or hand them to a child, past the edge
 * at which everything is cleaned: on the syntax tree, so that a word in a comment or a text is none.
 */
import ts from "typescript"

export interface OutputWay {
  readonly line: number
  /** What is used, as one would search for it. */
  readonly what: string
}

const STREAMS: ReadonlySet<string> = new Set(["stdout", "stderr"])
/** Of `node:fs`, and of `Bun`: what takes a descriptor or a file to write to. */
const WRITING_CALLS: ReadonlySet<string> = new Set([
  "write",
  "writeSync",
  "writev",
  "writevSync",
  "writeFile",
  "writeFileSync",
  "appendFile",
  "appendFileSync",
  "createWriteStream",
  "openSync",
  "open",
  "file"
])
const DEVICES = /^(?:\/dev\/(?:tty|stdout|stderr|fd\/[12]|console)|\/proc\/[^/]+\/fd\/[12]|CON(?:OUT\$)?)$/

export const outputWays = (fileName: string, source: string): ReadonlyArray<OutputWay> => {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true)
  const found: Array<OutputWay> = []
  const visit = (node: ts.Node): void => {
    const what = wayAt(node)
    if (what !== undefined) found.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, what })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const wayAt = (node: ts.Node): string | undefined => {
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) return memberWay(node)
  if (ts.isIdentifier(node)) return consoleWay(node)
  if (ts.isCallExpression(node)) return descriptorWay(node)
  if (ts.isVariableDeclaration(node)) return destructuredWay(node)
  if (ts.isImportDeclaration(node)) return importWay(node)
  if (ts.isBindingElement(node)) return node.name.getText() === "writeUnchanged" ? "writeUnchanged" : undefined
  return ts.isPropertyAssignment(node) ? inheritedWay(node) : undefined
}

const nameOf = (node: ts.PropertyAccessExpression | ts.ElementAccessExpression): string | undefined => {
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined
}

/** `process.stdout`, `globalThis.process["stderr"]`, `Bun.stdout`, `stdout.writeUnchanged`; not the width of the window. */
const memberWay = (node: ts.PropertyAccessExpression | ts.ElementAccessExpression): string | undefined => {
  const name = nameOf(node)
  if (name === "writeUnchanged") return name
  if (name === undefined || !STREAMS.has(name)) return undefined
  const owner = node.expression.getText().replace(/^globalThis\??\./, "")
  if (owner !== "process" && owner !== "Bun") return undefined
  const around = node.parent
  const isRead = ts.isPropertyAccessExpression(around) && ["columns", "rows", "isTTY"].includes(around.name.text)
  return isRead ? undefined : `${owner}.${name}`
}

/** The global one; a member or a local of that name is something else. */
const consoleWay = (node: ts.Identifier): string | undefined => {
  if (node.text !== "console" && node.text !== "Console") return undefined
  const around = node.parent
  if (node.text === "Console") return ts.isImportSpecifier(around) ? "Console of effect" : undefined
  return ts.isPropertyAccessExpression(around) && around.expression === node ? `console.${around.name.text}` : undefined
}

/** `writeSync(1, …)`, `Bun.file(2)`, `createWriteStream("", { fd: 1 })`, `openSync("/dev/tty")`. */
const descriptorWay = ({ arguments: [first, ...others], expression }: ts.CallExpression): string | undefined => {
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
  if (first === undefined || !WRITING_CALLS.has(name)) return undefined
  if (ts.isStringLiteralLike(first) && DEVICES.test(first.text)) return first.text
  if (isOutputNumber(first)) return `${name}(${first.getText()})`
  const options = others.filter(ts.isObjectLiteralExpression).flatMap(({ properties }) => [...properties])
  const isGivenOne = options.some(
    (option) => ts.isPropertyAssignment(option) && option.name.getText() === "fd" && isOutputNumber(option.initializer)
  )
  return isGivenOne ? `${name} with a descriptor` : undefined
}

const isOutputNumber = (node: ts.Expression): boolean => ts.isNumericLiteral(node) && /^[12]$/.test(node.text)

/** `const { stdout } = process`. */
const destructuredWay = ({ initializer, name }: ts.VariableDeclaration): string | undefined => {
  if (initializer === undefined || !ts.isObjectBindingPattern(name)) return undefined
  const owner = initializer.getText()
  if (owner !== "process" && owner !== "Bun") return undefined
  const taken = name.elements.map((element) => (element.propertyName ?? element.name).getText())
  const stream = taken.find((one) => STREAMS.has(one))
  return stream === undefined ? undefined : `${owner}.${stream}`
}

const importWay = ({ importClause, moduleSpecifier }: ts.ImportDeclaration): string | undefined => {
  const from = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ""
  if (/^(?:node:)?console$/.test(from)) return from
  const names = importClause?.namedBindings
  const taken = names !== undefined && ts.isNamedImports(names) ? names.elements.map(({ name }) => name.text) : []
  if (/^(?:node:)?process$/.test(from) && taken.some((name) => STREAMS.has(name))) return `${from} ${taken.join(", ")}`
  return /^(?:node:)?tty$/.test(from) && taken.includes("WriteStream") ? "WriteStream of node:tty" : undefined
}

/** A child that writes where we do: `stdout: "inherit"`, `stdio: ["pipe", "inherit", …]`. */
const inheritedWay = ({ initializer, name }: ts.PropertyAssignment): string | undefined => {
  const key = name.getText().replaceAll('"', "")
  const texts = ts.isArrayLiteralExpression(initializer) ? initializer.elements.slice(1) : [initializer]
  const isInherited = texts.some(
    (text) => (ts.isStringLiteralLike(text) && text.text === "inherit") || isOutputNumber(text)
  )
  return isInherited && ["stdout", "stderr", "stdio"].includes(key) ? `${key}: "inherit"` : undefined
}
