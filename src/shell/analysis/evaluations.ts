/**
 * Places where bash evaluates text as arithmetic. A name there stands for whatever the variable holds, and a value like
 * `a[$(rm x)]` runs a command while its subscript is worked out. So only numbers and operators are understood; anything
 * else may run commands that stand nowhere in the text.
 */
import type { Opaque, Word } from "./shell-analysis.ts"
import { type SyntaxNode, visit } from "./syntax.ts"

export const evaluations = (source: string, root: SyntaxNode): ReadonlyArray<Opaque> => {
  const found: Array<Opaque> = []
  visit(root, (node) => {
    const text = source.slice(node.start, node.end)
    if (found.length === 0 && evaluates(text, node, source)) found.push(opaque(text))
  })
  return found
}

const opaque = (text: string): Opaque => {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return { kind: "arithmetic", detail: `\`${shown}\` can run commands that a variable holds` }
}

const evaluates = (text: string, node: SyntaxNode, source: string): boolean => {
  switch (node.type) {
    case "arithmetic_expansion":
      return !isNumeric(text.trim().replace(/^\$(?:\(\(|\[)|(?:\)\)|\])$/g, ""))
    // In places the grammar takes arithmetic for a subshell inside a substitution.
    case "command_substitution":
      return text.trim().startsWith("$((") && !isNumeric(text.trim().slice(3, -2))
    case "compound_statement":
      return text.startsWith("((") && !isNumeric(text.slice(2, -2))
    case "c_style_for_statement":
      return !isNumeric(forHeader(source, node))
    case "expansion":
      return isEvaluating(text)
    case "subscript":
      return !isPlainSubscript(text.slice(text.indexOf("[") + 1, text.lastIndexOf("]")))
    case "array":
      return node.children.some((child) => /^\[(?!\d+\])/.test(source.slice(child.start, child.end)))
    case "heredoc_redirect":
      return hasOldArithmetic(source, node)
    // `{name[x]}>file` opens a descriptor and stores its number.
    case "concatenation":
      return /^\{\w+\[.*\]\}$/s.test(text) && /[<>]/.test(source[node.end] ?? "")
    default:
      return false
  }
}

/** Digits, operators, and the parameters that are always numbers. */
export const isNumeric = (text: string): boolean =>
  /^[\d\s+\-*/%()<>=!&|^~?:,;]*$/.test(text.replace(/\b0[xX][0-9a-fA-F]+\b|\$[#?$]|\$\{#\}/g, "0"))

const forHeader = (source: string, node: SyntaxNode): string => {
  const open = node.children.find((child) => child.type === "((")
  const close = node.children.find((child) => child.type === "))")
  return open === undefined || close === undefined ? "unknown" : source.slice(open.end, close.start)
}

/** The grammar does not see `$[x]` in a here-document; one whose end word is quoted is plain text. */
const hasOldArithmetic = (source: string, node: SyntaxNode): boolean => {
  const opening = node.children.find((child) => child.type === "heredoc_start")
  if (opening === undefined || /['"\\]/.test(source.slice(opening.start, opening.end))) return false
  return source.slice(opening.end, node.end).replace(/\\./g, "").includes("$[")
}

const isPlainSubscript = (text: string): boolean => text === "@" || text === "*" || isNumeric(text)

/** `${a:x}` evaluates its offset, `${a[x]}` its subscript, `${!x}` the name that it finds. */
const isEvaluating = (text: string): boolean => {
  const head = /^\$\{([!#]*)(?:[A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[([^\]]*)\])?/.exec(text)
  if (head === null) return false
  const [whole, marks = "", subscript] = head
  const rest = text.slice(whole.length, -1)
  if (subscript !== undefined && !isPlainSubscript(subscript)) return true
  const listsNames = /^[*@]$/.test(rest) || subscript === "@" || subscript === "*"
  if (marks.startsWith("!") && !listsNames) return true
  return /^:(?![-+=?])/.test(rest) && !isNumeric(rest.slice(1))
}

const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/
const NUMBER = /^[-+]?\d+$|^"?\$(?:[#?$]|\{#\})"?$/
const NAME = /^[A-Za-z_]\w*$/
/** A name, perhaps with a value, whose name is plain: `a`, `a=$x`, `a+=1`. */
const DECLARED = /^[A-Za-z_]\w*(?:\+?=|$)/

/** Builtins that take names of variables, and so subscripts, from their arguments. */
export const evaluatingBuiltin = (name: string, words: ReadonlyArray<Word>): Opaque | undefined => {
  const args = words.slice(1)
  return takesMore(name, args) ? opaque(words.map((word) => word.raw).join(" ")) : undefined
}

const takesMore = (name: string, args: ReadonlyArray<Word>): boolean => {
  switch (name) {
    case "let":
      return !args.every((word) => isNumeric(word.value))
    case "[[":
      return comparesUnknown(args) || testsUnknown(args)
    case "[":
    case "test":
      return testsUnknown(args)
    case "declare":
    case "typeset":
    case "local":
    case "export":
    case "readonly":
      return args.some((word) => (isOption(word) ? /[in]/.test(word.value) : !DECLARED.test(word.raw)))
    case "printf":
      return args.some((word, index) => {
        const target = word.value === "-v" ? args[index + 1] : /^-v./.test(word.value) ? word : undefined
        return target !== undefined && !isName(target, target.value.replace(/^-v/, ""))
      })
    case "unset":
      return args.some((word) => !isOption(word) && !isName(word, word.value.replace(/\[\d+\]$/, "")))
    case "read":
    case "mapfile":
    case "readarray":
    case "getopts":
    case "wait":
      return args.some((word) => word.dynamic.length > 0 || word.value.includes("["))
    default:
      return false
  }
}

const isOption = (word: Word): boolean => /^[-+]/.test(word.value) && word.dynamic.length === 0
const isName = (word: Word, text: string): boolean => word.dynamic.length === 0 && NAME.test(text)

const comparesUnknown = (args: ReadonlyArray<Word>): boolean =>
  args.some(
    (word, index) =>
      COMPARES.test(word.value) &&
      [args[index - 1], args[index + 1]].some((side) => side !== undefined && !NUMBER.test(sideText(side)))
  )

const sideText = (word: Word): string => (word.dynamic.length > 0 ? word.raw : word.value)

/** `-v name` and `-R name` look the name up, with its subscript. A computed word may be such an operator. */
const testsUnknown = (args: ReadonlyArray<Word>): boolean =>
  args.some((word, index) => {
    const operand = args[index + 1]
    return /^-[vR]$/.test(word.value) && operand !== undefined && !isName(operand, operand.value)
  })
