/**
 * Nothing is accepted and then ignored: every setting has a reader, or its row says why it has none. A reader is a call of
 * `get` with the key written out, or with a template whose fixed beginning is that of the key.
 */
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
