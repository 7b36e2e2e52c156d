/**
 * The one row in which a text is edited. What does not fit is left out on the sides, marked by `<` and `>`; the cursor
 * is always inside. Line breaks are shown as a sign, so that also a text of several lines can be edited in one row.
 */
import type { TemporaryLine } from "../terminal/temporary-line.ts"
import { graphemes } from "./grapheme.ts"
import { typedLine } from "./typed-text.ts"

export interface RowRequest {
  /** May have colours. */
  readonly prompt: string
  readonly text: string
  readonly cursor: number
  /** Width of the window in cells. */
  readonly columns: number
  /** Shown for a line break. */
  readonly lineBreak: string
}

/** Text around the cursor that is looked at; no window is wider. */
const NEAR = 2048

export const row = ({ columns, cursor, lineBreak, prompt, text }: RowRequest): TemporaryLine => {
  const start = Math.max(0, cursor - NEAR)
  const end = Math.min(text.length, cursor + NEAR)
  const before = cellsOf(text.slice(start, cursor), lineBreak)
  const after = cellsOf(text.slice(cursor, end), lineBreak)
  const indent = Bun.stringWidth(prompt)
  // The last column stays free, and the cursor may stand behind the text.
  const room = Math.max(columns - 1 - indent, MIN_ROOM)
  const at = widthOf(before)
  const isCut = start > 0 || end < text.length || at + widthOf(after) > room
  if (!isCut) return { text: prompt + joined(before) + joined(after), cursor: indent + at }

  const from = scrolledTo(at, room)
  const isCutLeft = from > 0 || start > 0
  const shown = window([...before, ...after], from + (isCutLeft ? 1 : 0), from + room - 1)
  return {
    text: `${prompt}${isCutLeft ? "<" : ""}${shown.text}${shown.isCutRight || end < text.length ? ">" : ""}`,
    cursor: indent + (isCutLeft ? 1 : 0) + shown.cells(at)
  }
}

const MIN_ROOM = 8

interface Cell {
  readonly text: string
  readonly width: number
}

const cellsOf = (text: string, lineBreak: string): ReadonlyArray<Cell> =>
  graphemes(text).map((character) => {
    const visible = typedLine(character, lineBreak)
    return { text: visible, width: Bun.stringWidth(visible) }
  })

const widthOf = (cells: ReadonlyArray<Cell>): number => cells.reduce((sum, { width }) => sum + width, 0)
const joined = (cells: ReadonlyArray<Cell>): string => cells.map(({ text }) => text).join("")

/** Scrolls by half a row at a time, so that most keys only add to the row. */
const scrolledTo = (cursor: number, room: number): number => {
  const half = Math.floor(room / 2)
  return cursor < room - 1 ? 0 : (Math.floor((cursor - (room - 1)) / half) + 1) * half
}

/** The cells from one place to another, in widths; those on a border are left out. */
const window = (cells: ReadonlyArray<Cell>, from: number, to: number) => {
  let place = 0
  let first: number | undefined
  let text = ""
  let isCutRight = false
  for (const cell of cells) {
    const end = place + cell.width
    if (place >= from && end <= to) {
      first ??= place
      text += cell.text
    }
    if (end > to) isCutRight = true
    place = end
  }
  const origin = first ?? from
  return { text, isCutRight, cells: (at: number) => Math.max(0, at - origin) }
}
