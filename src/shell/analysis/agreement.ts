/**
 * Where the grammar and bash may read a text differently, the text is not understood, even though it parsed.
 *
 * The grammar takes every kind of white space and an escaped newline as a separator, bash only blanks and newlines; it
 * splits words that bash joins; it can end a here-document at another line. Each is a way to hide a command, so each is
 * checked against the source text.
 */
import type { Opaque } from "./shell-analysis.ts"
import { type SyntaxNode, visit } from "./syntax.ts"
import { resolveWord } from "./word.ts"

/** Nodes whose inside is text; only substitutions in them hold commands again. */
const TEXT_NODES = new Set([
  "string",
  "raw_string",
  "ansi_c_string",
  "translated_string",
  "heredoc_body",
  "heredoc_content",
  "string_content",
  "comment",
  "word",
  "regex",
  "extglob_pattern"
])

export const disagreements = (source: string, root: SyntaxNode): ReadonlyArray<Opaque> => {
  const found: Array<Opaque> = []
  const report = (detail: string): void => {
    if (!found.some((opaque) => opaque.detail === detail)) found.push({ kind: "ambiguous", detail })
  }
  // Bash takes continued lines out before it looks for `$(` and `${`, even in quotes.
  if (source.includes("$\\\n")) report("a `$` with its line continued")
  visit(root, (node) => {
    if (hidesSubstitution(source, node)) report("a substitution that the grammar does not see")
    if (!TEXT_NODES.has(node.type) && hasOddGap(source, node)) report("unusual white space or a word broken over lines")
    // Between backticks bash takes one layer of backslashes off first.
    if (node.type === "command_substitution" && /^`[\s\S]*\\/.test(source.slice(node.start, node.end)))
      report("backslashes between backticks")
    if (node.type === "command" && hasGluedWords(node)) report("words that bash would read as one")
    if (node.type === "comment" && !startsComment(source, node.start)) report("a comment in the middle of a word")
    if (node.type === "heredoc_redirect" && !endsWhereBashEndsIt(source, node))
      report("a here-document without a clear end")
  })
  return found
}

/** Nodes that end with their line: a newline between their parts would begin another command. */
const LINE_NODES = new Set([
  "command",
  "declaration_command",
  "unset_command",
  "variable_assignments",
  "redirected_statement",
  "file_redirect",
  "herestring_redirect"
])

/** Nodes that are one word: `x= a` is not the assignment of `a`. */
const SOLID_NODES = new Set(["variable_assignment", "concatenation", "simple_expansion"])

const hasOddGap = (source: string, node: SyntaxNode): boolean => {
  const isLine = LINE_NODES.has(node.type)
  const isSolid = SOLID_NODES.has(node.type)
  const isOdd = (start: number, end: number): boolean =>
    start < end && (isSolid || !isPlainGap(source, start, end) || (isLine && hasNewline(source.slice(start, end))))
  const [first, second] = node.children
  if (first?.type === "file_descriptor" && second !== undefined && first.end < second.start) return true
  let at = node.start
  for (const child of node.children) {
    if (isOdd(at, child.start)) return true
    at = Math.max(at, child.end)
  }
  return node.children.length > 0 && isOdd(at, node.end)
}

const hasNewline = (gap: string): boolean => gap.replaceAll("\\\n", "").includes("\n")

const isPlainGap = (source: string, start: number, end: number): boolean => {
  const gap = source.slice(start, end)
  if (/^[ \t\n]*$/.test(gap)) return true
  if (!/^(?:[ \t\n]|\\\n)*$/.test(gap)) return false
  // A continued line separates words only where a blank stands beside it; otherwise bash joins the two halves.
  const before = source[start + gap.indexOf("\\") - 1] ?? " "
  const after = source[start + gap.lastIndexOf("\\\n") + 2] ?? " "
  return /[\s;&|]/.test(before) || /[\s;&|]/.test(after)
}

const SUBSTITUTIONS = new Set(["command_substitution", "process_substitution", "arithmetic_expansion"])

/** Leaves whose text bash takes as it is. */
const LITERAL_LEAVES = new Set([
  "raw_string",
  "ansi_c_string",
  "comment",
  "heredoc_content",
  "heredoc_end",
  "heredoc_body"
])

/** Text in which bash would find a substitution, outside those that the grammar found. */
const hidesSubstitution = (source: string, node: SyntaxNode): boolean => {
  // A leaf has no parts, so nothing in it was found: a regular expression, a pattern, an operator.
  if (node.isNamed && node.children.length === 0 && !LITERAL_LEAVES.has(node.type)) {
    return /\$\(|`|[<>]\(|\$\{|\$\[/.test(source.slice(node.start, node.end).replace(/\\[^\n]/g, ""))
  }
  if (node.type !== "string" && node.type !== "expansion" && node.type !== "heredoc_redirect") return false
  const parts = node.type === "heredoc_redirect" ? unquotedBodies(source, node) : [node]
  return parts.some((part) => {
    const text = withoutSubstitutions(source, part).replace(/\\[^\n]/g, "")
    return node.type === "expansion" ? /[(`]|\\\n/.test(text) : /\$\(|`/.test(text)
  })
}

const withoutSubstitutions = (source: string, node: SyntaxNode): string => {
  if (SUBSTITUTIONS.has(node.type)) return "_"
  let text = ""
  let at = node.start
  for (const child of node.children) {
    text += source.slice(at, child.start) + withoutSubstitutions(source, child)
    at = child.end
  }
  return text + source.slice(at, node.end)
}

const unquotedBodies = (source: string, node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const opening = node.children.find((child) => child.type === "heredoc_start")
  const isQuoted = opening === undefined || /['"\\]/.test(source.slice(opening.start, opening.end))
  return isQuoted ? [] : node.children.filter((child) => child.type === "heredoc_body")
}

const hasGluedWords = (command: SyntaxNode): boolean =>
  command.children.some((child, index) => {
    const previous = command.children[index - 1]
    return previous !== undefined && previous.end === child.start && !isRedirect(previous) && !isRedirect(child)
  })

const isRedirect = (node: SyntaxNode): boolean => node.type.endsWith("_redirect")

const startsComment = (source: string, start: number): boolean =>
  start === 0 || /[\s;&|()`]/.test(source[start - 1] ?? "")

const endsWhereBashEndsIt = (source: string, node: SyntaxNode): boolean => {
  const operator = node.children.find((child) => child.type.startsWith("<<"))
  const opening = node.children.find((child) => child.type === "heredoc_start")
  const closing = node.children.find((child) => child.type === "heredoc_end")
  if (operator === undefined || opening === undefined || closing === undefined) return false
  const written = source.slice(opening.start, opening.end)
  const delimiter = resolveWord(written).value
  const firstLine = source.indexOf("\n", opening.end)
  if (firstLine === -1 || closing.end < firstLine) return false
  const text = source.slice(firstLine + 1, closing.end)
  const isDelimiter = (line: string) => (operator.type === "<<-" ? line.replace(/^\t+/, "") : line) === delimiter
  const endsOnce = (lines: ReadonlyArray<string>) => lines.findIndex(isDelimiter) === lines.length - 1
  const after = source[closing.end]
  if (after !== undefined && after !== "\n") return false
  // In an unquoted document bash joins continued lines before it looks for the end.
  const isQuoted = written !== delimiter
  return endsOnce(text.split("\n")) && (isQuoted || endsOnce(text.replaceAll("\\\n", "").split("\n")))
}
