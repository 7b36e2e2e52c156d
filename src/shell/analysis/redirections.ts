/** Reads redirections from the syntax tree, and tells those that touch no file from the rest. */
import type { Redirection } from "./shell-analysis.ts"
import type { SyntaxNode } from "./syntax.ts"
import { resolveWord } from "./word.ts"

export const isRedirect = (node: SyntaxNode): boolean => node.type.endsWith("_redirect")

const NOWHERE = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"])

/** A here-document can carry further redirections on its first line: `cat <<A > file`. */
export const redirectionsOf = (
  node: SyntaxNode,
  source: string
): { readonly redirections: ReadonlyArray<Redirection>; readonly input: ReadonlyArray<string> } => {
  const text = source.slice(node.start, node.end)
  if (node.type !== "file_redirect") {
    const nested = node.children
      .filter((child) => child.type === "file_redirect")
      .map((child) => fileRedirection(child, source))
    const bodies = node.children.filter((child) => child.type === "heredoc_body")
    const input = bodies.length > 0 ? bodies.map((body) => source.slice(body.start, body.end)) : [text]
    const operator = node.type === "herestring_redirect" ? "<<<" : "<<"
    const document: Redirection = { operator, target: undefined, text: operator, access: "read", isHarmless: false }
    return { redirections: [document, ...nested], input }
  }
  return { redirections: [fileRedirection(node, source)], input: [] }
}

const fileRedirection = (node: SyntaxNode, source: string): Redirection => {
  const operatorAt = node.children.findIndex((child) => /[<>]/.test(child.type))
  const operator = node.children[operatorAt]?.type ?? ">"
  // The grammar counts words that follow as further targets: the descriptor of the next one in `>&f 0>/dev/null`.
  const targetNode = node.children[operatorAt + 1]
  const target = targetNode === undefined ? undefined : resolveWord(source.slice(targetNode.start, targetNode.end))
  const joinsDescriptors = /[<>]&/.test(operator) && (target === undefined || /^\d+-?$|^-$/.test(target.value))
  const discards = target !== undefined && target.dynamic.length === 0 && NOWHERE.has(target.value)
  return {
    operator,
    target,
    text: source.slice(node.start, node.end),
    access: joinsDescriptors ? "none" : operator.startsWith("<") && operator !== "<>" ? "read" : "write",
    isHarmless: joinsDescriptors || discards
  }
}
