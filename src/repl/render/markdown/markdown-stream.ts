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
  type TextLine,
  textLineOf
} from "./block.ts"
import { type Highlighter, highlighterFor } from "./highlight.ts"
import { parseInline } from "./inline.ts"
import { paintSpans, type Span } from "./span.ts"
import { type Row, spansAfter, wrapSpans } from "./wrap.ts"

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

/** A line of text that is longer than a row, while it grows. */
interface Growing {
  readonly head: TextLine
  /** Final, but not given out yet. */
  readonly pending: ReadonlyArray<Span>
  /** Where reading the line goes on. */
  readonly at: number
  readonly rowsGiven: number
}

export const makeMarkdownStream = (style: MarkdownStyle): MarkdownStream => {
  const paint = paintWith(style)
  const blocks: BlockStyle = { unicode: style.unicode, keepsMarkup: !style.colors }
  const spanStyle = { paint, links: style.links }
  let width = 80
  let line = ""
  /** Before tabs were widened: where a line is cut must not depend on the chunks. */
  let lineLength = 0
  let lastTry = 0
  let growing: Growing | undefined
  let fence: Fence | undefined
  let table: Array<string> = []
  let isAfterBlank = true

  const inline = (source: string, isComplete: boolean, from: number) =>
    parseInline(source, { isComplete, keepsMarkup: blocks.keepsMarkup }, from)

  const rowWidth = ({ lead, rest }: TextLine): number =>
    Math.max(8, width - 1 - widthOf(rest.length === 0 ? lead : rest))

  const painted = (
    { inks, lead, rest }: TextLine,
    rows: ReadonlyArray<Row>,
    rowsGiven: number
  ): ReadonlyArray<string> =>
    rows.map((row, index) => {
      const spans =
        inks.length === 0 ? row.spans : row.spans.map((span) => ({ ...span, inks: [...inks, ...span.inks] }))
      return paintedRow([...(rowsGiven + index === 0 ? lead : rest), ...spans])
    })

  const paintedRow = (spans: ReadonlyArray<Span>): string => {
    const text = spans.map((span) => span.text).join("")
    // The bar of a quote is ours; whatever else looks like one of our marks is not.
    const isOurs = spans[0]?.inks[0] === "dim"
    return (isOurs || asidedText(text) === text ? "" : " ") + paintSpans(spans, spanStyle).trimEnd()
  }

  const textLine = (text: string): ReadonlyArray<string> => {
    if (growing !== undefined) {
      const { at, head, pending, rowsGiven } = growing
      const spans = [...pending, ...inline(text, true, at).settled]
      return spans.length === 0 ? [] : painted(head, wrapSpans(spans, rowWidth(head)), rowsGiven)
    }
    if (text.trim() === "") {
      const isNeeded = !isAfterBlank
      isAfterBlank = true
      return isNeeded ? [""] : []
    }
    isAfterBlank = false
    if (isRule(text)) return [paint((style.unicode ? "─" : "-").repeat(Math.min(width - 1, 40)), "dim")]
    const head = textLineOf(text, blocks)
    return painted(head, wrapSpans(inline(head.content, true, 0).settled, rowWidth(head)), 0)
  }

  const endTable = (): ReadonlyArray<string> => {
    const rows = table
    table = []
    if (rows.length === 0) return []
    isAfterBlank = false
    const divider = rows[1]
    return divider !== undefined && isTableDivider(divider)
      ? tableLines(rows, { columns: width, isPlain: !(style.colors && style.unicode) })
      : rows.flatMap((row) => textLine(row))
  }

  const codeLine = (text: string, open: Fence): ReadonlyArray<string> => {
    isAfterBlank = false
    if (!closesFence(text, open))
      return [asidedText(open.highlight(text.slice(Math.min(open.indent, leadingSpaces(text)))))]
    fence = undefined
    return [paint(text, "dim")]
  }

  const lineEnded = (text: string): ReadonlyArray<string> => {
    if (fence !== undefined) return codeLine(text, fence)
    if (growing !== undefined) return textLine(text)
    if (isTableRow(text)) {
      table.push(text)
      return table.length < LONGEST_TABLE ? [] : endTable()
    }
    const before = endTable()
    const opening = fenceOpening(text)
    if (opening === undefined) return [...before, ...textLine(text)]
    fence = { ...opening, highlight: style.colors ? highlighterFor(opening.language, paint) : asItIs }
    isAfterBlank = false
    return [...before, paint(text, "dim")]
  }

  const endLine = (): ReadonlyArray<string> => {
    const lines = lineEnded(line)
    line = ""
    lineLength = 0
    lastTry = 0
    growing = undefined
    return lines
  }

  /** The line as far as it is known. */
  const grown = () => {
    const head = growing?.head ?? textLineOf(line, blocks)
    const { open, settled, settledAt } = inline(line, false, growing?.at ?? line.length - head.content.length)
    const pending = [...(growing?.pending ?? []), ...settled]
    return { head, pending, settledAt, rows: wrapSpans([...pending, ...open], rowWidth(head)) }
  }

  /** The final rows of a paragraph that is longer than the window is wide: those whose successor is known, too. */
  const earlyRows = (): ReadonlyArray<string> => {
    if (fence !== undefined || line.length - lastTry < width) return []
    lastTry = line.length
    if (growing === undefined && !isSettledKind(line)) return []
    const { head, pending, rows, settledAt } = grown()
    const settledLength = pending.reduce((sum, { text }) => sum + text.length, 0)
    const final = rows.findIndex((_, index) => (rows[index + 1]?.end ?? Number.POSITIVE_INFINITY) > settledLength)
    const rowsGiven = growing?.rowsGiven ?? 0
    if (rowsGiven + final === 0) return []
    const before = growing === undefined ? endTable() : []
    growing = {
      head,
      pending: spansAfter(pending, rows[final - 1]?.end ?? 0),
      at: settledAt,
      rowsGiven: rowsGiven + final
    }
    isAfterBlank = false
    return [...before, ...painted(head, rows.slice(0, final), rowsGiven)]
  }

  return {
    push: (text, columns) => {
      const lines: Array<string> = []
      for (let at = 0; at < text.length; ) {
        if (lineLength === 0) width = columns
        const limit = at + (fence === undefined ? LONGEST_TEXT_LINE : LONGEST_CODE_LINE) - lineLength
        const newline = text.indexOf("\n", at)
        const end = Math.min(newline === -1 ? text.length : newline, limit)
        const piece = text.slice(at, end)
        line += fence === undefined ? piece.replaceAll("\t", "    ") : piece
        lineLength += piece.length
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
      if (line === "" || fence !== undefined || (growing === undefined && !isSettledKind(line))) return line
      const { head, rows } = grown()
      return painted(head, rows.slice(-1), (growing?.rowsGiven ?? 0) + rows.length - 1)[0] ?? ""
    },
    end: () => {
      const lines = [...(lineLength === 0 ? [] : endLine()), ...endTable()]
      fence = undefined
      isAfterBlank = true
      return lines
    }
  }
}

const asItIs: Highlighter = (line) => line

const widthOf = (spans: ReadonlyArray<Span>): number => spans.reduce((sum, { text }) => sum + Bun.stringWidth(text), 0)

const leadingSpaces = (text: string): number => /^\s*/.exec(text)?.[0].length ?? 0

interface TableStyle {
  readonly columns: number
  /** Neither colours nor characters beyond ASCII. */
  readonly isPlain: boolean
}

/** A finished table, framed, as it fits the window. The rows come as they were written, the divider among them. */
const tableLines = (rows: ReadonlyArray<string>, { columns, isPlain }: TableStyle): ReadonlyArray<string> =>
  Bun.markdown
    .ansi(`${rows.join("\n").replaceAll("&", AMPERSAND)}\n`, {
      colors: !isPlain,
      columns: columns - 1,
      hyperlinks: false,
      kittyGraphics: false
    })
    .replaceAll(AMPERSAND, "&")
    .trimEnd()
    .split("\n")

/** Entities such as `&#27;` would come out as the control characters that were taken out of the text before. */
const AMPERSAND = "\ue026"
