/**
 * Text of others behind a gutter: every row of it, also where a long line is broken, so that it cannot begin a line of
 * the screen and pass for something that this program says.
 */
import { flowed } from "./markdown/flow.ts"
import { plainSpan, textOf } from "./markdown/span.ts"
import { wrapText } from "./markdown/wrap.ts"
import { type Marks, marksFor } from "./marks.ts"
import type { Ink, Paint } from "./paint.ts"

export interface Frame {
  readonly columns: number
  readonly unicode: boolean
  readonly isSpoken?: boolean | undefined
  readonly paint: Paint
  /** As in `TerminalStyle`. */
  readonly wrapsHard?: boolean | undefined
}

/** The lines as they are, left to the terminal to wrap where that is wanted; nothing is left out. */
export const gutteredLines = (
  lines: ReadonlyArray<string>,
  frame: Frame,
  inksOf: (line: string) => ReadonlyArray<Ink> = noInks
): ReadonlyArray<string> => {
  if (frame.wrapsHard === true) return framedLines(lines, frame, inksOf)
  const gutter = gutterOf(marksFor(frame), frame.paint)
  const room = frame.columns - GUTTER_WIDTH
  return lines.flatMap((line) => softRows(line, frame, room).map((row) => gutter + frame.paint(row, ...inksOf(line))))
}

/** Words in `room` cells of each row: broken there, or left to the terminal. */
export const wordRows = (line: string, frame: Pick<Frame, "columns" | "wrapsHard">, room: number) =>
  frame.wrapsHard === true ? wrapText(line, Math.max(8, room)) : softRows(line, frame, room)

/** One row, unless the terminal would begin another one with what looks like a line of ours. */
const softRows = (line: string, { columns }: Pick<Frame, "columns">, room: number): ReadonlyArray<string> => {
  const text = line.replaceAll("\t", "    ")
  if (text.length <= room) return [text]
  const flow = { cells: Math.max(0, columns - room), width: Math.max(1, columns), isComplete: true }
  return flowed([plainSpan(text)], flow).pieces.map(textOf)
}

/** The lines as they are; nothing is left out, long ones are broken at the width of the window. */
export const framedLines = (
  lines: ReadonlyArray<string>,
  frame: Frame,
  inksOf: (line: string) => ReadonlyArray<Ink> = noInks
): ReadonlyArray<string> => {
  const gutter = gutterOf(marksFor(frame), frame.paint)
  const width = Math.max(8, frame.columns - GUTTER_WIDTH - 1)
  return lines.flatMap((line) =>
    rowsOf(line.replaceAll("\t", "    "), width).map((row) => gutter + frame.paint(row, ...inksOf(line)))
  )
}

/** One row for each line: what does not fit is cut, and a mark says so. */
export const cutLines = (lines: ReadonlyArray<string>, frame: Frame): ReadonlyArray<string> => {
  const marks = marksFor(frame)
  const gutter = gutterOf(marks, frame.paint)
  const width = Math.max(8, frame.columns - GUTTER_WIDTH - 1)
  return lines.map((line) => gutter + frame.paint(cutLine(line.replaceAll("\t", "    "), width, marks), "dim"))
}

export const cutLine = (line: string, width: number, { more }: Pick<Marks, "more">): string =>
  // A character is at least one code unit: short lines need no measuring.
  line.length <= width && Bun.stringWidth(line) <= width
    ? line
    : Bun.sliceAnsi(line.slice(0, 16 * width), 0, Math.max(0, width - more.length)) + more

const GUTTER_WIDTH = 4

const noInks = (): ReadonlyArray<Ink> => []

const gutterOf = ({ gutter }: Marks, paint: Paint): string => `  ${paint(gutter, "dim")} `.padEnd(GUTTER_WIDTH)

/** Broken at exactly the width: a break at a space would hide how many there are. */
export const rowsOf = (line: string, width: number): ReadonlyArray<string> => {
  if (line.length <= width && Bun.stringWidth(line) <= width) return [line]
  const rows: Array<string> = []
  let row = ""
  let used = 0
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const cells = Bun.stringWidth(segment)
    if (used + cells > width && row !== "") {
      rows.push(row)
      row = ""
      used = 0
    }
    row += segment
    used += cells
  }
  return [...rows, row]
}
