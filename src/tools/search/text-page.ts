/**
 * A page of a text: which lines are shown, and how the model is told about the rest. Pure.
 *
 * A page that was asked for is reported as a range; only what we cut ourselves is called truncated.
 */

/** Lines shown when no end is asked for. */
const DEFAULT_LINES = 2000
/** Characters of one line. */
const MAX_LINE_LENGTH = 2000
/** Characters of one page, also of a range that was asked for. */
const MAX_PAGE_LENGTH = 400_000
const CUT_LINE = "... [truncated]"

export interface TextPage {
  /** The lines, joined by `\n`. */
  readonly text: string
  /** From 1; `last` is below `first` when the page is empty. */
  readonly first: number
  readonly last: number
  readonly total: number
  readonly hasCutLines: boolean
  /** Less than what was asked for is shown. */
  readonly isCut: boolean
}

export interface LineRange {
  readonly start?: number | undefined
  /** Inclusive. */
  readonly end?: number | undefined
}

export const pageOf = (text: string, range: LineRange): TextPage => {
  const lines = text.split(/\r?\n/)
  const total = lines.length
  const first = range.start ?? 1
  const wanted = Math.min(total, range.end ?? first + DEFAULT_LINES - 1)
  const asked = Math.min(total, range.end ?? total)
  const shown: Array<string> = []
  let length = 0
  let hasCutLines = false
  for (const line of lines.slice(first - 1, wanted)) {
    const short = shortLine(line)
    if (shown.length > 0 && length + short.length > MAX_PAGE_LENGTH) break
    shown.push(short)
    length += short.length + 1
    hasCutLines ||= short !== line
  }
  const last = first + shown.length - 1
  return { text: shown.join("\n"), first, last, total, hasCutLines, isCut: hasCutLines || last < asked }
}

export const isWholeText = (page: TextPage): boolean => page.first <= 1 && page.last >= page.total && !page.hasCutLines

/** The page under a notice that says what it is; a whole text stands alone. */
export const pageWithNotice = (page: TextPage): string => {
  if (isWholeText(page)) return page.text
  if (page.first > page.total) return `The file has ${page.total} lines; start_line ${page.first} is past its end.`
  const rest = page.last < page.total ? [`To read on, use start_line: ${page.last + 1}.`] : []
  const lines = page.hasCutLines ? [`Lines longer than ${MAX_LINE_LENGTH} characters are cut.`] : []
  const range = `Lines ${page.first}-${page.last} of ${page.total} are shown.`
  return page.isCut
    ? [
        `IMPORTANT: The file content is truncated. ${[range, ...rest, ...lines].join(" ")}`,
        "",
        "--- FILE CONTENT (truncated) ---",
        page.text
      ].join("\n")
    : [[range, ...rest].join(" "), "", "--- FILE CONTENT ---", page.text].join("\n")
}

/** A line of bounded length; a character of two units is not torn. */
export const shortLine = (line: string): string =>
  line.length <= MAX_LINE_LENGTH ? line : line.slice(0, MAX_LINE_LENGTH).replace(/[\ud800-\udbff]$/, "") + CUT_LINE
