/**
 * Text of others behind a gutter: every row of it, also where a long line is broken, so that it cannot begin a line of
 * the screen and pass for something that this program says.
 */
import { type Marks, marksFor } from "./marks.ts"
import type { Ink, Paint } from "./paint.ts"

export interface Frame {
  readonly columns: number
  readonly unicode: boolean
  readonly paint: Paint
}

/** The lines as they are; nothing is left out, long ones are broken. */
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

const gutterOf = ({ gutter }: Marks, paint: Paint): string => `  ${paint(gutter, "dim")} `

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
