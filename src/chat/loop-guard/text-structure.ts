/** Parts of a text that repeat by nature: code, lists, tables, headings, quotations, dividers. */

/** At the first character of a line that is not a space: table row or border, list, numbered list. */
const INDENTED = /^(?:\|.*\||[|+-]{3,}|[*+-]\s|\d+\.\s)/
/** At the very beginning of a line: heading, quotation. */
const FLUSH = /^(?:#{1,6}\s|>\s)/
const DIVIDER = /^[+\-_=*\u2500-\u257f]+$/

export const isStructure = (text: string): boolean => {
  let hasMark = false
  let start = 0
  do {
    const end = text.indexOf("\n", start)
    let at = start
    while (isSpace(text.charCodeAt(at))) at++
    if (isMark(text.charCodeAt(at))) {
      hasMark = true
      const line = text.slice(start, end === -1 ? text.length : end + 1)
      if (FLUSH.test(line) || INDENTED.test(line.trimStart())) return true
    }
    start = end + 1
  } while (start > 0)
  return hasMark && DIVIDER.test(text.trim())
}

export const countFences = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("```"); at !== -1; at = text.indexOf("```", at + 3)) count++
  return count
}

/** All of this begins with one of `|+-*#>_=` or a digit, or with a character that is not ASCII. */
const isMark = (code: number): boolean => {
  if (code > 0x7f) return true
  if (code >= 0x30 && code <= 0x39) return true
  switch (code) {
    case 0x23:
    case 0x2a:
    case 0x2b:
    case 0x2d:
    case 0x3d:
    case 0x3e:
    case 0x5f:
    case 0x7c:
      return true
    default:
      return false
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09
