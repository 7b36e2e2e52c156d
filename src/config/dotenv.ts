/**
 * The `.env` format as shells and dotenv libraries write it: `NAME=value` lines, optional `export`, `#` comments,
 * values bare or in single, double or backtick quotes. Quoted values may span lines; only double quotes know `\n`,
 * `\r` and `\t`. One pass over the text; lines that are none of this are skipped.
 */

const NAME = /[\t ]*(?:export[\t ]+)?([A-Za-z_][\w.-]*)[\t ]*(?:=|:[\t ])[\t ]*/y

/** Of repeated names the last counts. */
export const parseDotenv = (source: string): Readonly<Record<string, string>> => {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const found = new Map<string, string>()
  let offset = 0
  while (offset < text.length) {
    NAME.lastIndex = offset
    const match = NAME.exec(text)
    const start = match === null ? offset : NAME.lastIndex
    const [value, end] = match === null ? ["", start] : readValue(text, start)
    if (match?.[1] !== undefined) found.set(match[1], value)
    const newline = text.indexOf("\n", end)
    offset = newline === -1 ? text.length : newline + 1
  }
  return Object.fromEntries(found)
}

/** The value that begins at `start`, and the offset behind it. */
const readValue = (text: string, start: number): readonly [string, number] => {
  const quote = text.charAt(start)
  if (quote === '"' || quote === "'" || quote === "`") {
    const end = closingQuote(text, start + 1, quote)
    if (end !== -1) {
      const inside = text.slice(start + 1, end)
      return [quote === '"' ? expandEscapes(inside) : inside, end + 1]
    }
  }
  const newline = text.indexOf("\n", start)
  const end = newline === -1 ? text.length : newline
  const line = text.slice(start, end)
  const comment = line.indexOf("#")
  return [(comment === -1 ? line : line.slice(0, comment)).trim(), end]
}

const closingQuote = (text: string, start: number, quote: string): number => {
  for (let offset = start; offset < text.length; offset++) {
    const unit = text.charAt(offset)
    if (unit === quote) return offset
    if (unit === "\\" && quote !== "'") offset++
  }
  return -1
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" }

const expandEscapes = (inside: string): string =>
  inside.replace(/\\(.)/gs, (whole: string, unit: string) => ESCAPES[unit] ?? whole)
