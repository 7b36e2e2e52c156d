/** What a line of markdown is: its kind, what stands before its text, and the text. Pure, one line at a time. */
import type { Ink } from "../paint.ts"
import { plainSpan, type Span } from "./span.ts"

export interface TextLine {
  readonly content: string
  /** Before the first row. */
  readonly lead: ReadonlyArray<Span>
  /** Before each further row; as wide as `lead`. */
  readonly rest: ReadonlyArray<Span>
  readonly inks: ReadonlyArray<Ink>
}

export interface BlockStyle {
  readonly unicode: boolean
  /** Without colours the marks of markdown stay, so that nothing of the structure is lost. */
  readonly keepsMarkup: boolean
  readonly isSpoken: boolean
}

const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/s
const LIST = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(?=\S)/
const QUOTED = "quote: "
const QUOTE = /^ {0,3}>\s?/

export const isRule = (line: string): boolean => /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)
export const isTableRow = (line: string): boolean => /^ {0,3}\|/.test(line)
export const isTableDivider = (line: string): boolean => /^ {0,3}\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/.test(line)

/** Whether a line that is still growing may be shown in part: its kind, also inside a quote, can no longer change. */
export const isSettledKind = (line: string): boolean =>
  !/^(?:\s*>)*\s*(?:\||#|`+$|```|~+$|~~~|\d{1,9}[.)]?\s*$|[-+*_\s]*$)/.test(line)

export interface FenceOpening {
  readonly mark: string
  readonly indent: number
  readonly language: string
}

export const fenceOpening = (line: string): FenceOpening | undefined => {
  const [, indent = "", mark, info = ""] = /^(\s*)(`{3,}|~{3,})\s*([^`]*)$/.exec(line) ?? []
  return mark === undefined
    ? undefined
    : { mark, indent: indent.length, language: info.trim().split(/[\s{,:]/)[0] ?? "" }
}

export const closesFence = (line: string, { mark }: FenceOpening): boolean => {
  const text = line.trim()
  return text.length >= mark.length && text === mark.slice(0, 1).repeat(text.length)
}

export const textLineOf = (line: string, style: BlockStyle): TextLine => {
  const quoted = QUOTE.exec(line)
  if (quoted !== null) {
    const inner = textLineOf(line.slice(quoted[0].length), style)
    if (style.isSpoken)
      return inner.lead[0]?.text === QUOTED ? inner : { ...inner, lead: [plainSpan(QUOTED), ...inner.lead] }
    const bar: Span = { text: style.unicode ? "│ " : "| ", inks: ["dim"] }
    return { ...inner, lead: [bar, ...inner.lead], rest: [bar, ...inner.rest], inks: ["italic", ...inner.inks] }
  }
  const [, marks, title] = HEADING.exec(line) ?? []
  if (marks !== undefined && title !== undefined) {
    const lead = style.keepsMarkup ? [plainSpan(`${marks} `)] : []
    const inks: ReadonlyArray<Ink> = marks.length === 1 ? ["bold", "underline"] : ["bold"]
    return { content: title.replace(/\s+#+\s*$/, ""), lead, rest: [], inks }
  }
  const [item, indent, marker = "", space = ""] = LIST.exec(line) ?? []
  if (item !== undefined && indent !== undefined) {
    const shown = /\d/.test(marker) || !style.unicode ? marker : "•"
    return {
      content: line.slice(item.length),
      lead: [plainSpan(indent), { text: shown, inks: ["cyan"] }, plainSpan(space)],
      rest: [plainSpan(" ".repeat(item.length))],
      inks: []
    }
  }
  const [margin = ""] = /^\s*/.exec(line) ?? []
  return { content: line.slice(margin.length), lead: [plainSpan(margin)], rest: [plainSpan(margin)], inks: [] }
}
