/**
 * The bash grammar: tree-sitter's runtime and the grammar, both WebAssembly embedded in the binary. Loading costs about
 * 45 ms and 40 MiB, so it is reached by a dynamic import at the first shell call.
 *
 * The parser is synchronous. It is bounded by a clock, by the number of nodes and by their depth; a parser that failed
 * once is not used again, and every later text then counts as too complex.
 */
import grammarFile from "tree-sitter-bash/tree-sitter-bash.wasm" with { type: "file" }
import { Language, Parser, type TreeCursor } from "web-tree-sitter"
import runtimeFile from "web-tree-sitter/web-tree-sitter.wasm" with { type: "file" }
import type { ParseOutcome, ParseShell, SyntaxNode } from "./syntax.ts"

const MAX_MILLIS = 1_000
const MAX_NODES = 20_000
const MAX_DEPTH = 1_000

/** `now`: milliseconds of any clock that moves forward. */
export const loadParser = async (now: () => number): Promise<ParseShell> => {
  // Without these the runtime reports a crash on standard error.
  const silent = { print: () => {}, printErr: () => {} }
  await Parser.init({ wasmBinary: await Bun.file(runtimeFile).arrayBuffer(), ...silent })
  const language = await Language.load(new Uint8Array(await Bun.file(grammarFile).arrayBuffer()))
  const parser = new Parser().setLanguage(language)
  let hasFailed = false
  return (text) => {
    if (hasFailed) return tooComplex("the shell parser failed on an earlier command")
    try {
      return parseWith(parser, text, now)
    } catch {
      hasFailed = true
      return tooComplex("the shell parser failed on this command")
    }
  }
}

const tooComplex = (detail: string): ParseOutcome => ({ _tag: "TooComplex", detail })

const parseWith = (parser: Parser, text: string, now: () => number): ParseOutcome => {
  const deadline = now() + MAX_MILLIS
  const tree = parser.parse(text, null, { progressCallback: () => now() > deadline })
  if (tree === null) {
    parser.reset()
    return tooComplex(`not understood within ${MAX_MILLIS} ms`)
  }
  const cursor = tree.walk()
  const outcome = toPlainTree(cursor)
  cursor.delete()
  tree.delete()
  return outcome
}

interface OpenNode {
  readonly type: string
  readonly isNamed: boolean
  readonly start: number
  readonly end: number
  readonly children: Array<SyntaxNode>
}

const read = (cursor: TreeCursor): OpenNode => ({
  type: cursor.nodeType,
  isNamed: cursor.nodeIsNamed,
  start: cursor.startIndex,
  end: cursor.endIndex,
  children: []
})

/** Copies the tree without recursion: `a && a && …` nests one level for each operator. */
const toPlainTree = (cursor: TreeCursor): ParseOutcome => {
  let hasError = false
  let count = 0
  const root = read(cursor)
  const open = [root]
  const enter = (): OpenNode => {
    const node = read(cursor)
    count++
    hasError ||= node.type === "ERROR" || cursor.nodeIsMissing
    open[open.length - 1]?.children.push(node)
    return node
  }
  let isGoingDown = true
  while (open.length > 0) {
    if (count > MAX_NODES) return tooComplex(`more than ${MAX_NODES} syntax nodes`)
    if (open.length > MAX_DEPTH) return tooComplex(`nested deeper than ${MAX_DEPTH} syntax nodes`)
    if (isGoingDown && cursor.gotoFirstChild()) {
      open.push(enter())
      continue
    }
    open.pop()
    isGoingDown = cursor.gotoNextSibling()
    if (isGoingDown) open.push(enter())
    else if (!cursor.gotoParent()) break
  }
  return { _tag: "Parsed", root, hasError: hasError || root.type === "ERROR" }
}
