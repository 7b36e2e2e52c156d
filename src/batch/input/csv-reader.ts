/**
 * Rows of CSV as RFC 4180 has it: fields in quotes may hold commas, quotes (doubled) and line ends. Lines come from a
 * reader of lines, so that memory stays flat; a field that goes on over lines is put together again here.
 */
import type { SourceLine } from "./line-reader.ts"

export interface CsvRow {
  /** Where it begins. */
  readonly line: number
  readonly cells: ReadonlyArray<string>
  readonly fault?: string
}

/** A quote that is never closed swallows the rest of a file: more lines than this are a mistake. */
const LONGEST_ROW_LINES = 10_000

export function* csvRows(lines: Iterable<SourceLine>): Generator<CsvRow, void> {
  let open: { readonly line: number; readonly texts: Array<string> } | undefined
  for (const { fault, number, text } of lines) {
    if (fault !== undefined) {
      open = undefined
      yield { line: number, cells: [], fault }
      continue
    }
    const first = open === undefined && number === 1 ? text.replace(/^\ufeff/, "") : text
    if (open === undefined && first.trim() === "") continue
    const row: { readonly line: number; readonly texts: Array<string> } = open ?? { line: number, texts: [] }
    row.texts.push(first)
    open = undefined
    const cells = hasOddQuotes(row.texts) ? undefined : cellsOf(row.texts.join("\n"))
    if (cells === undefined && row.texts.length < LONGEST_ROW_LINES) open = row
    else if (cells === undefined) yield { line: row.line, cells: [], fault: UNCLOSED }
    else yield typeof cells === "string" ? { line: row.line, cells: [], fault: cells } : { line: row.line, cells }
  }
  if (open !== undefined) yield { line: open.line, cells: [], fault: UNCLOSED }
}

const UNCLOSED = "a field in quotes is never closed"

/** Quotes come in pairs wherever a row ends, since one inside a field is doubled. */
const hasOddQuotes = (texts: ReadonlyArray<string>): boolean => {
  let quotes = 0
  for (const text of texts) for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes += 1
  return quotes % 2 === 1
}

/** A text: what is wrong with the row. */
const cellsOf = (row: string): ReadonlyArray<string> | string => {
  const text = row.endsWith("\r") ? row.slice(0, -1) : row
  const cells: Array<string> = []
  for (let at = 0; ; ) {
    if (text[at] !== '"') {
      const comma = text.indexOf(",", at)
      const cell = text.slice(at, comma === -1 ? text.length : comma)
      if (cell.includes('"')) return "a quote stands in a field that is not in quotes"
      cells.push(cell)
      if (comma === -1) return cells
      at = comma + 1
      continue
    }
    let end = text.indexOf('"', at + 1)
    while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
    if (end === -1) return UNCLOSED
    cells.push(
      text
        .slice(at + 1, end)
        .replaceAll('""', '"')
        .replaceAll("\r\n", "\n")
    )
    if (end + 1 === text.length) return cells
    if (text[end + 1] !== ",") return "something stands behind the closing quote of a field"
    at = end + 2
  }
}
