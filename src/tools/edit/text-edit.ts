/**
 * Edits as ranges, and the way from a text with any line endings to one with `\n` alone and back.
 *
 * The rungs of the ladder look at `\n` text only, but a file is never re-written from it: each edit is carried back to
 * the range of the file's own text, so that everything outside a match stays as it was, mixed line endings included.
 */

/** Replaces the characters from `start` up to `end` (not included) by `text`. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Edits must be in order and must not overlap. */
export const applyEdits = (content: string, edits: ReadonlyArray<TextEdit>): string => {
  const pieces: Array<string> = []
  let position = 0
  for (const edit of edits) {
    pieces.push(content.slice(position, edit.start), edit.text)
    position = edit.end
  }
  pieces.push(content.slice(position))
  return pieces.join("")
}

export const toUnixNewlines = (text: string): string => (text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text)

/** Carries edits of `toUnixNewlines(content)` over to `content`; inserted lines end as the lines around them do. */
export const toFileEdits = (content: string, edits: ReadonlyArray<TextEdit>): ReadonlyArray<TextEdit> => {
  if (!content.includes("\r\n")) return edits
  const offset = carriageReturnsBefore(content)
  return edits.map((edit) => {
    const start = edit.start + offset(edit.start)
    const end = edit.end + offset(edit.end)
    const text = newlineAt(content, start) === "\r\n" ? edit.text.replaceAll("\n", "\r\n") : edit.text
    return { start, end, text }
  })
}

/** The ending of the line that holds `position`; of the line before it where it is the last; `\n` in a single line. */
export const newlineAt = (content: string, position: number): "\n" | "\r\n" => {
  const here = content.indexOf("\n", position)
  const found = here >= 0 ? here : content.lastIndexOf("\n")
  return found > 0 && content[found - 1] === "\r" ? "\r\n" : "\n"
}

/** How many carriage returns were taken out in front of a position of the `\n` text. Positions must ascend. */
const carriageReturnsBefore = (content: string): ((position: number) => number) => {
  let removed = 0
  let next = content.indexOf("\r\n")
  return (position) => {
    while (next >= 0 && next - removed < position) {
      removed++
      next = content.indexOf("\r\n", next + 2)
    }
    return removed
  }
}

/** For people: a line break at the end begins no further line. */
export const linesIn = (text: string): string => {
  const count = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
  return count === 1 ? "1 line" : `${count} lines`
}
