/**
 * Second rung: the same lines, whatever blanks stand at their two ends. The block put in takes the indentation found.
 *
 * Lines are looked for as letters of a word would be (Knuth, Morris, Pratt), so that a long search in a file of equal
 * lines stays linear.
 */
import { replaceLines } from "./reindent.ts"
import { sourceLines } from "./source-lines.ts"
import type { TextEdit } from "./text-edit.ts"

export const flexibleRung = (content: string, search: string, replacement: string): ReadonlyArray<TextEdit> => {
  const wanted = sourceLines(search).map((line) => line.text.trim())
  // A search of blank lines alone would match every gap between paragraphs.
  if (wanted.every((line) => line === "")) return []

  const lines = sourceLines(content)
  const edits: Array<TextEdit> = []
  for (const start of runsOf(
    lines.map((line) => line.text.trim()),
    wanted
  )) {
    const first = lines[start]
    const last = lines[start + wanted.length - 1]
    if (first !== undefined && last !== undefined) edits.push(replaceLines(first, last, replacement))
  }
  return edits
}

/** Where `wanted` begins in `lines`, without overlaps. */
const runsOf = (lines: ReadonlyArray<string>, wanted: ReadonlyArray<string>): ReadonlyArray<number> => {
  const borders = bordersOf(wanted)
  const starts: Array<number> = []
  let matched = 0
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && wanted[matched] !== line) matched = borders[matched - 1] ?? 0
    if (wanted[matched] === line) matched++
    if (matched === wanted.length) {
      starts.push(index + 1 - matched)
      matched = 0
    }
  }
  return starts
}

/** For each beginning of `wanted`: the length of the longest shorter beginning that it also ends with. */
const bordersOf = (wanted: ReadonlyArray<string>): ReadonlyArray<number> => {
  const borders = [0]
  let length = 0
  for (const line of wanted.slice(1)) {
    while (length > 0 && wanted[length] !== line) length = borders[length - 1] ?? 0
    if (wanted[length] === line) length++
    borders.push(length)
  }
  return borders
}
