/** Second rung: the same lines, whatever blanks stand at their two ends. The block put in takes the indentation found. */
import { replaceLines } from "./reindent.ts"
import { sourceLines } from "./source-lines.ts"
import type { TextEdit } from "./text-edit.ts"

export const flexibleRung = (content: string, search: string, replacement: string): ReadonlyArray<TextEdit> => {
  const wanted = sourceLines(search).map((line) => line.text.trim())
  // A search of blank lines alone would match every gap between paragraphs.
  if (wanted.every((line) => line === "")) return []

  const lines = sourceLines(content)
  const trimmed = lines.map((line) => line.text.trim())
  const edits: Array<TextEdit> = []
  let index = 0
  while (index + wanted.length <= lines.length) {
    const first = lines[index]
    const last = lines[index + wanted.length - 1]
    if (first !== undefined && last !== undefined && wanted.every((line, at) => line === trimmed[index + at])) {
      edits.push(replaceLines(first, last, replacement))
      index += wanted.length
    } else {
      index++
    }
  }
  return edits
}
