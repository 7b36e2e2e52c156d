/**
 * Markdown that arrives in chunks, as text that is final: what is given out is never changed again, and however the text
 * is cut, it is the same.
 *
 * A paragraph is one line, given out as it grows and left to the terminal to wrap, so that it can be copied whole. With
 * `wrapsHard` it is broken at the width of the window instead; the row that grows is then shown for now. Code is given
 * out line by line and exactly; a table when it has ended, as it fits.
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
import { flowed, LONGEST_MARK, settledEnd } from "./flow.ts"
import { type Highlighter, highlighterFor } from "./highlight.ts"
import { parseInline } from "./inline.ts"
import { paintSpans, type Span, spansUpTo, textOf } from "./span.ts"
import { type Row, spansAfter, wrapSpans } from "./wrap.ts"

export interface MarkdownStyle {
  readonly colors: boolean
  readonly unicode: boolean
  readonly links: boolean
  readonly wrapsHard?: boolean
  readonly isSpoken?: boolean
}

export interface MarkdownStream {
  /**
   * Adds clean text; answers with what became final. Where that ends without a line break, the line goes on in the next
   * answer. A new width counts from the next line of the text on.
   */
  readonly push: (text: string, columns: number) => string
  /** The row that is still growing and not given out in part. */
  readonly partial: () => string
  /** The text has ended; what was held back, and the end of its line. The stream can be used for another text then. */
  readonly end: () => string
}

/** A line of text without an end is cut, so that the work for each chunk stays small. */
const LONGEST_TEXT_LINE = 4_096
const LONGEST_CODE_LINE = 65_536
const LONGEST_TABLE = 200

interface Fence extends FenceOpening {
  readonly highlight: Highlighter
}

/** A line of text of which a part is given out already. */
interface Growing {
  readonly head: TextLine
  /** Final, but not given out yet. */
  readonly pending: ReadonlyArray<Span>
  /** Where reading the line goes on. */
  readonly at: number
  readonly rowsGiven: number
  /** Cells that the terminal has used for the line: it wraps where they are a multiple of its width. */
  readonly cells: number
}

export const makeMarkdownStream = (style: MarkdownStyle): MarkdownStream => {
  const paint = paintWith(style)
  const isSoft = style.wrapsHard !== true
  const isSpoken = style.isSpoken === true
  const blocks: BlockStyle = { unicode: style.unicode, keepsMarkup: !style.colors && !isSpoken, isSpoken }
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
    isSoft ? Number.POSITIVE_INFINITY : Math.max(8, width - 1 - widthOf(rest.length === 0 ? lead : rest))

  const dressed = (spans: ReadonlyArray<Span>, { inks }: TextLine): ReadonlyArray<Span> =>
    inks.length === 0 ? spans : spans.map((span) => ({ ...span, inks: [...inks, ...span.inks] }))

  const painted = (head: TextLine, rows: ReadonlyArray<Row>, rowsGiven: number): ReadonlyArray<string> =>
    rows.map((row, index) =>
      paintedRow([...(rowsGiven + index === 0 ? head.lead : head.rest), ...dressed(row.spans, head)])
    )

  const paintedRow = (spans: ReadonlyArray<Span>): string => asideOf(spans) + paintSpans(withoutEnd(spans), spanStyle)

  const asideOf = (spans: ReadonlyArray<Span>): string => {
    const text = textOf(spans)
    // The bar of a quote is ours; whatever else looks like one of our marks is not.
    const isOurs = spans[0]?.inks[0] === "dim"
    return isOurs || asidedText(text) === text ? "" : " "
  }

  /** What is to be given out of a line that is not wrapped here. */
  const flowOn = (head: TextLine, spans: ReadonlyArray<Span>, isComplete: boolean) => {
    const begins = (growing?.rowsGiven ?? 0) === 0
    const all = begins ? [...head.lead, ...dressed(spans, head)] : dressed(spans, head)
    const aside = begins ? asideOf(all) : ""
    const { cells, left, pieces } = flowed(all, { cells: (growing?.cells ?? 0) + aside.length, width, isComplete })
    const text = aside + pieces.map((piece) => paintSpans(piece, spanStyle)).join("\n ")
    const given = textOf(spans).length - textOf(left).length
    // Spans that are left are dressed again when their turn comes; what leads the line is given out whole, or not yet.
    return given < 0 && !isComplete ? undefined : { text, cells, left: spansAfter(spans, given) }
  }

  const finished = (head: TextLine, spans: ReadonlyArray<Span>): string =>
    isSoft
      ? `${flowOn(head, spans, true)?.text ?? ""}\n`
      : ended(painted(head, wrapSpans(spans, rowWidth(head)), growing?.rowsGiven ?? 0))

  const textLine = (text: string): string => {
    if (growing !== undefined) {
      const { at, head, pending } = growing
      const spans = [...pending, ...inline(text, true, at).settled]
      return spans.length === 0 ? (isSoft ? "\n" : "") : finished(head, spans)
    }
    if (text.trim() === "") {
      const isNeeded = !isAfterBlank
      isAfterBlank = true
      return isNeeded ? "\n" : ""
    }
    isAfterBlank = false
    if (isRule(text) && isSpoken) return ended(["end of a section"])
    if (isRule(text)) return ended([paint((style.unicode ? "─" : "-").repeat(Math.min(width - 1, 40)), "dim")])
    const head = textLineOf(text, blocks)
    return finished(head, inline(head.content, true, 0).settled)
  }

  const endTable = (): string => {
    const rows = table
    table = []
    if (rows.length === 0) return ""
    isAfterBlank = false
    const divider = rows[1]
    return divider !== undefined && isTableDivider(divider)
      ? ended(
          isSpoken
            ? spokenTable(rows).map(asidedText)
            : tableLines(rows, { columns: width, isPlain: !(style.colors && style.unicode) })
        )
      : rows.map((row) => textLine(row)).join("")
  }

  const codeLine = (text: string, open: Fence): string => {
    isAfterBlank = false
    if (!closesFence(text, open))
      return ended([asidedText(open.highlight(text.slice(Math.min(open.indent, leadingSpaces(text)))))])
    fence = undefined
    return ended([isSpoken ? "end of code" : paint(text, "dim")])
  }

  const lineEnded = (text: string): string => {
    if (fence !== undefined) return codeLine(text, fence)
    if (growing !== undefined) return textLine(text)
    if (isTableRow(text)) {
      table.push(text)
      return table.length < LONGEST_TABLE ? "" : endTable()
    }
    const before = endTable()
    const opening = fenceOpening(text)
    if (opening === undefined) return before + textLine(text)
    fence = { ...opening, highlight: style.colors ? highlighterFor(opening.language, paint) : asItIs }
    isAfterBlank = false
    const { language } = opening
    return before + ended([isSpoken ? `code${language === "" ? "" : ` in ${language}`}:` : paint(text, "dim")])
  }

  const endLine = (): string => {
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
    return { head, open, pending: [...(growing?.pending ?? []), ...settled], settledAt }
  }

  const mayBegin = (): boolean => growing !== undefined || isSettledKind(line)

  /** The part of a growing line that nothing can change any more. */
  const earlyText = (): string => {
    if (line === "" || fence !== undefined || line.length < LONGEST_MARK || !mayBegin()) return ""
    const { head, pending, settledAt } = grown()
    if (growing === undefined && textOf(head.lead).length + textOf(pending).length < LONGEST_MARK) return ""
    const flow = flowOn(head, pending, false)
    if (flow === undefined) return ""
    const before = growing === undefined ? endTable() : ""
    growing = { head, pending: flow.left, at: settledAt, rowsGiven: 1, cells: flow.cells }
    isAfterBlank = false
    return before + flow.text
  }

  /** The final rows of a paragraph that is longer than the window is wide: whatever follows goes to the last one. */
  const earlyRows = (): string => {
    if (fence !== undefined || line.length - lastTry < width >> 1) return ""
    lastTry = line.length
    if (!mayBegin()) return ""
    const { head, pending, settledAt } = grown()
    // Where a row ends depends on whether the character after it is wide, which what joins it may still decide.
    const final = wrapSpans(spansUpTo(pending, settledEnd(textOf(pending))), rowWidth(head)).slice(0, -1)
    if (final.length === 0) return ""
    const rowsGiven = growing?.rowsGiven ?? 0
    const before = growing === undefined ? endTable() : ""
    growing = {
      head,
      pending: spansAfter(pending, final.at(-1)?.end ?? 0),
      at: settledAt,
      rowsGiven: rowsGiven + final.length,
      cells: 0
    }
    isAfterBlank = false
    return before + ended(painted(head, final, rowsGiven))
  }

  const longest = (): number => (isSoft || fence !== undefined ? LONGEST_CODE_LINE : LONGEST_TEXT_LINE)

  return {
    push: (text, columns) => {
      let given = ""
      for (let at = 0; at < text.length; ) {
        if (lineLength === 0) width = columns
        const limit = at + longest() - lineLength
        const newline = text.indexOf("\n", at)
        const end = Math.min(newline === -1 ? text.length : newline, limit)
        const piece = text.slice(at, end)
        line += fence === undefined ? piece.replaceAll("\t", "    ") : piece
        lineLength += piece.length
        at = end
        if (text[at] === "\n") {
          given += endLine()
          at++
        } else if (end === limit) given += endLine()
      }
      return given + (isSoft ? earlyText() : earlyRows())
    },
    partial: () => {
      if (line === "" || fence !== undefined || !mayBegin()) return line
      if (isSoft && growing !== undefined) return ""
      const { head, open, pending } = grown()
      const rows = wrapSpans([...pending, ...open], rowWidth(head))
      return painted(head, rows.slice(-1), (growing?.rowsGiven ?? 0) + rows.length - 1)[0] ?? ""
    },
    end: () => {
      const lines = (lineLength === 0 ? "" : endLine()) + endTable()
      fence = undefined
      isAfterBlank = true
      return lines
    }
  }
}

const ended = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

/** Spaces at the end of a line are not shown, whatever dress they have. */
const withoutEnd = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => spansUpTo(spans, textOf(spans).trimEnd().length)

const asItIs: Highlighter = (line) => line

const widthOf = (spans: ReadonlyArray<Span>): number => spans.reduce((sum, { text }) => sum + Bun.stringWidth(text), 0)

const leadingSpaces = (text: string): number => /^\s*/.exec(text)?.[0].length ?? 0

/** A sentence for each row: what stands in a column is said with its name. */
const spokenTable = (rows: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [header = [], , ...body] = rows.map(spokenCells)
  const names = header.filter((name) => name !== "")
  return [
    `table of ${body.length} ${body.length === 1 ? "row" : "rows"}: ${names.join(", ")}`,
    ...body.map((cells, index) => {
      const said = cells.flatMap((cell, column) => (cell === "" ? [] : [saidCell(header[column] ?? "", cell)]))
      return `row ${index + 1}: ${said.join("; ")}`
    })
  ]
}

const saidCell = (name: string, cell: string): string => (name === "" ? cell : `${name}: ${cell}`)

const spokenCells = (row: string): ReadonlyArray<string> =>
  row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").trim())
    .map((cell) => textOf(parseInline(cell, { isComplete: true, keepsMarkup: false }).settled))

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
