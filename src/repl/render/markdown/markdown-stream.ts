/**
 * Markdown that arrives in chunks, rendered to lines that are final. However the text is cut, the lines are the same: a
 * row is given out only when nothing that may follow can change it.
 *
 * Paragraphs are broken at the width of the window, since a line that is still growing can only be shown in one row.
 * Code is given out line by line and unbroken, so that it can be copied; a table when it has ended.
 */
import { asidedText } from "../marks.ts"
import { paintWith } from "../paint.ts"
import {
  type BlockStyle,
  closesFence,
  type FenceOpening,
  fenceOpening,
  isRule,
  isSettledKind,
  isTableDivider,
  isTableRow,
  textLineOf
} from "./block.ts"
import { type Highlighter, highlighterFor } from "./highlight.ts"
import { parseInline } from "./inline.ts"
import { paintSpans, type Span } from "./span.ts"
import { tableLines } from "./table.ts"
import { wrapSpans } from "./wrap.ts"

export interface MarkdownStyle {
  readonly colors: boolean
  readonly unicode: boolean
  readonly links: boolean
}

export interface MarkdownStream {
  /** Adds clean text; answers with the lines that became final. A new width counts from the next line of the text on. */
  readonly push: (text: string, columns: number) => ReadonlyArray<string>
  /** The row that is still growing. */
  readonly partial: () => string
  /** The text has ended; what was held back. The stream can be used for another text afterwards. */
  readonly end: () => ReadonlyArray<string>
}

/** A line of text without an end is cut, so that the work for each chunk stays small. */
const LONGEST_TEXT_LINE = 4_096
const LONGEST_CODE_LINE = 65_536
const LONGEST_TABLE = 200

interface Fence extends FenceOpening {
  readonly highlight: Highlighter
}

export const makeMarkdownStream = (style: MarkdownStyle): MarkdownStream => {
  const paint = paintWith(style)
  const blocks: BlockStyle = { unicode: style.unicode, keepsMarkup: !style.colors }
  const spanStyle = { paint, links: style.links }
  let columns = 80
  let width = 80
  let line = ""
  let given = 0
  let lastTry = 0
  let fence: Fence | undefined
  let table: Array<string> = []
  let isAfterBlank = true

  /** Rows of a line of text, and how many of them are final. */
  const rowsOf = (text: string, isComplete: boolean) => {
    const { content, inks, lead, rest } = textLineOf(text, blocks)
    const { settled, spans } = parseInline(content, { isComplete, keepsMarkup: blocks.keepsMarkup })
    const margin = widthOf(rest.length === 0 ? lead : rest)
    const dressed = inks.length === 0 ? spans : spans.map((span) => ({ ...span, inks: [...inks, ...span.inks] }))
    const rows = wrapSpans(dressed, Math.max(8, width - 1 - margin))
    const final = isComplete
      ? rows.length
      : rows.findIndex((_, index) => (rows[index + 1]?.end ?? Number.POSITIVE_INFINITY) > settled)
    const painted = (from: number, to: number) =>
      rows.slice(from, to).map((row, index) => paintedRow([...(from + index === 0 ? lead : rest), ...row.spans]))
    return { final, painted, count: rows.length }
  }
  const paintedRow = (spans: ReadonlyArray<Span>): string => {
    const text = spans.map((span) => span.text).join("")
    const aside = asidedText(text).length > text.length && spans[0]?.inks[0] !== "dim" ? " " : ""
    return aside + paintSpans(spans, spanStyle).trimEnd()
  }

  const textLine = (text: string): ReadonlyArray<string> => {
    if (text.trim() === "") {
      if (isAfterBlank) return []
      isAfterBlank = true
      return [""]
    }
    isAfterBlank = false
    if (given === 0 && isRule(text)) return [paint((style.unicode ? "─" : "-").repeat(Math.min(width - 1, 40)), "dim")]
    const rows = rowsOf(text, true)
    return rows.painted(given, rows.count)
  }

  const endTable = (): ReadonlyArray<string> => {
    const rows = table
    table = []
    if (rows.length === 0) return []
    isAfterBlank = false
    const divider = rows[1]
    return divider !== undefined && isTableDivider(divider) && blocks.unicode && style.colors
      ? tableLines(rows, width)
      : rows.flatMap((row) => textLine(row))
  }

  const lineEnded = (text: string): ReadonlyArray<string> => {
    if (fence !== undefined) {
      isAfterBlank = false
      const { highlight, indent } = fence
      if (closesFence(text, fence)) {
        fence = undefined
        return [paint(text, "dim")]
      }
      return [asidedText(highlight(text.slice(Math.min(indent, leadingSpaces(text)))))]
    }
    if (given === 0 && isTableRow(text)) {
      table.push(text)
      return table.length < LONGEST_TABLE ? [] : endTable()
    }
    const before = endTable()
    const opening = given === 0 ? fenceOpening(text) : undefined
    if (opening === undefined) return [...before, ...textLine(text)]
    fence = { ...opening, highlight: style.colors ? highlighterFor(opening.language, paint) : asItIs }
    isAfterBlank = false
    return [...before, paint(text, "dim")]
  }

  const endLine = (): ReadonlyArray<string> => {
    const lines = lineEnded(fence === undefined ? line.replaceAll("\t", "    ") : line)
    line = ""
    given = 0
    lastTry = 0
    return lines
  }

  /** The final rows of a paragraph that is longer than the window is wide. */
  const earlyRows = (): ReadonlyArray<string> => {
    if (fence !== undefined || line.length - lastTry < width) return []
    lastTry = line.length
    const text = line.replaceAll("\t", "    ")
    if (!isSettledKind(text)) return []
    const rows = rowsOf(text, false)
    if (rows.final <= given) return []
    const before = endTable()
    const lines = rows.painted(given, rows.final)
    given = rows.final
    isAfterBlank = false
    return [...before, ...lines]
  }

  return {
    push: (text, currentColumns) => {
      columns = currentColumns
      const lines: Array<string> = []
      for (let at = 0; at < text.length; ) {
        if (line === "") width = columns
        const limit = at + (fence === undefined ? LONGEST_TEXT_LINE : LONGEST_CODE_LINE) - line.length
        const newline = text.indexOf("\n", at)
        const end = Math.min(newline === -1 ? text.length : newline, limit)
        line += text.slice(at, end)
        at = end
        if (text[at] === "\n") {
          lines.push(...endLine())
          at++
        } else if (end === limit) lines.push(...endLine())
      }
      lines.push(...earlyRows())
      return lines
    },
    partial: () => {
      if (line === "" || fence !== undefined || !isSettledKind(line)) return line
      const rows = rowsOf(line.replaceAll("\t", "    "), false)
      return rows.painted(Math.max(given, rows.count - 1), rows.count)[0] ?? ""
    },
    end: () => {
      const lines = [...(line === "" ? [] : endLine()), ...endTable()]
      fence = undefined
      isAfterBlank = true
      return lines
    }
  }
}

const asItIs: Highlighter = (line) => line

const widthOf = (spans: ReadonlyArray<Span>): number => spans.reduce((sum, { text }) => sum + Bun.stringWidth(text), 0)

const leadingSpaces = (text: string): number => /^\s*/.exec(text)?.[0].length ?? 0
