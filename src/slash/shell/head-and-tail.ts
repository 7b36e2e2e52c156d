/** Shortens a long output: its beginning says what it is, its end what came of it. */

/** At most `limit` characters of the text, with a line between that says how many are missing. */
export const headAndTail = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, "")
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, "")
  return `${head}\n... [${text.length - head.length - tail.length} characters left out] ...\n${tail}`
}
