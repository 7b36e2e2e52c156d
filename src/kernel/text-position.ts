/** Offsets in a text as people count: line and column, both from 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** `\n`, `\r\n` and a lone `\r` end a line. */
export const positionAt = (text: string, offset: number): TextPosition => {
  let line = 1
  let start = 0
  const end = Math.min(offset, text.length)
  for (let index = 0; index < end; index++) {
    const unit = text.charCodeAt(index)
    if (unit !== 10 && (unit !== 13 || text.charCodeAt(index + 1) === 10)) continue
    line++
    start = index + 1
  }
  return { line, column: end - start + 1 }
}
