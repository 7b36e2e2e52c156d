/** The two halves of a definition: YAML between two lines of three dashes, and the text behind them. Pure. */

export interface FrontMatter {
  readonly yaml: string
  /** The line of the file on which the YAML begins, from one. */
  readonly firstLine: number
  readonly body: string
}

const FENCE = /^---[ \t]*\r?$/

/** `undefined`: the file does not begin with front matter, or it never ends. */
export const splitFrontMatter = (text: string): FrontMatter | undefined => {
  const lines = text.replace(/^\ufeff/, "").split("\n")
  if (!FENCE.test(lines[0] ?? "")) return undefined
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line))
  if (end < 0) return undefined
  return {
    yaml: lines.slice(1, end).join("\n"),
    firstLine: 2,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim()
  }
}
