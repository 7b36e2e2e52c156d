/** A text cut into lines that remember where they stood. */

export interface SourceLine {
  readonly text: string
  readonly start: number
  /** Before the line's `\n`. */
  readonly end: number
  readonly hasNewline: boolean
}

/** A final `\n` ends the last line and does not begin another one. */
export const sourceLines = (content: string): ReadonlyArray<SourceLine> => {
  const lines: Array<SourceLine> = []
  let start = 0
  while (start < content.length) {
    const newline = content.indexOf("\n", start)
    const end = newline < 0 ? content.length : newline
    lines.push({ text: content.slice(start, end), start, end, hasNewline: newline >= 0 })
    start = end + 1
  }
  return lines
}
