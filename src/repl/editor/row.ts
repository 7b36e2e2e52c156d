/**
 * The text of a person on the screen: the one row in which it is edited, and the lines that stay when it is finished.
 * What does not fit into the row is left out on the sides, marked by `<` and `>`; the cursor is always inside. Line
 * breaks are shown as a sign, so that also a text of several lines can be edited in one row.
 */

import { spellOut } from "../../kernel/readable-text.ts"
import type { TemporaryLine } from "../terminal/temporary-line.ts"
import type { TerminalStyle } from "../terminal/terminal-features.ts"
import type { EditState } from "./edit-state.ts"
import { graphemes } from "./grapheme.ts"
import type { ReadLineRequest } from "./line-editor.ts"

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

/** How a text stands on the screen: the row in which it is edited, and the lines that stay when it is finished. */
export const CONTINUATION = ". "

interface EditRow {
  readonly state: EditState
  /** The start of the text that stands above already. */
  readonly settled: string
  readonly columns: number
  readonly request: ReadLineRequest
  readonly style: TerminalStyle
}

export const editRow = ({ columns, request, settled, state, style }: EditRow): TemporaryLine => {
  const isSecret = request.isSecret === true
  const mode = state.vi?.mode === "normal" ? "[N] " : ""
  return row({
    prompt: mode + promptOf({ request, settled, state }),
    text: isSecret ? "" : state.text.slice(settled.length),
    cursor: isSecret ? 0 : state.cursor - settled.length,
    columns,
    lineBreak: style.unicode ? "↵" : "^J"
  })
}

const promptOf = ({ request, settled, state }: Pick<EditRow, "request" | "settled" | "state">): string => {
  const { search } = state
  if (search === undefined) return settled === "" ? request.prompt() : CONTINUATION
  const hasFailed = search.query !== "" && search.index === undefined
  return `(${hasFailed ? "nothing found" : "search"}) ${typedLine(search.query, " ")}: `
}

/** The text as it stays. A secret is not shown here either. */
export const finishedLines = (request: ReadLineRequest, text: string, isStart: boolean): string => {
  if (request.isSecret === true) return request.prompt()
  return text
    .split("\n")
    .map((line, index) => (isStart && index === 0 ? request.prompt() : CONTINUATION) + typedLine(line, ""))
    .join("\n")
}

/**
 * Text of the person as it is shown: unlike that of others it keeps what joins emoji and letters, but control and
 * reordering characters, which come with pastes, are written out.
 */
const ACTING = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** In one line: a tab is a blank, and a line break what it is said to be. */
const typedLine = (text: string, lineBreak: string): string =>
  text.replace(ACTING, (character) => {
    if (character === "\n") return lineBreak
    return character === "\t" ? " " : spellOut(character)
  })
