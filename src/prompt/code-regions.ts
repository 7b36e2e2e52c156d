/**
 * Where a Markdown text is code: fenced blocks and backtick spans. An `@` in there is not an import. Linear in the length
 * of the text, whatever is in it.
 */

/** From `start` to before `end`. */
export interface Region {
  readonly start: number
  readonly end: number
}

/** In order, not overlapping. */
export const codeRegions = (text: string): ReadonlyArray<Region> => {
  const regions: Array<Region> = []
  const paragraph = { start: 0, end: 0 }
  const flush = (): void => {
    regions.push(...spansIn(text, paragraph.start, paragraph.end))
  }
  let fence: { readonly start: number; readonly mark: string } | undefined
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end)
    if (fence !== undefined) {
      if (!closes(content, fence.mark)) continue
      regions.push({ start: fence.start, end: line.end })
      fence = undefined
      paragraph.start = paragraph.end = line.end
      continue
    }
    const mark = FENCE.exec(content)?.[1]
    if (mark !== undefined || content.trim() === "") {
      flush()
      paragraph.start = line.end
    }
    paragraph.end = line.end
    if (mark !== undefined) fence = { start: line.start, mark }
  }
  if (fence !== undefined) regions.push({ start: fence.start, end: text.length })
  else flush()
  return regions
}

/** An info string after backticks holds no backtick, or the line would be a span. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/

/** At least as long as the mark that opened the block, with nothing behind it. */
const closes = (line: string, mark: string): boolean => {
  const found = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1]
  return found?.[0] === mark[0] && found !== undefined && found.length >= mark.length
}

function* linesOf(text: string): Generator<Region> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start)
    const end = newline < 0 ? text.length : newline + 1
    yield { start, end }
    start = end
  }
}

/** A run of backticks opens a span when a run of the same length follows in its paragraph. */
const spansIn = (text: string, from: number, to: number): ReadonlyArray<Region> => {
  const runs = [...text.slice(from, to).matchAll(/`+/g)].map((run) => ({
    start: from + run.index,
    length: run[0].length
  }))
  const closing = nextOfSameLength(runs)
  const spans: Array<Region> = []
  for (let index = 0; index < runs.length; index++) {
    const [open, partner] = [runs[index], closing[index]]
    const close = partner === undefined ? undefined : runs[partner]
    if (open === undefined || partner === undefined || close === undefined) continue
    spans.push({ start: open.start, end: close.start + close.length })
    index = partner
  }
  return spans
}

const nextOfSameLength = (runs: ReadonlyArray<{ readonly length: number }>): ReadonlyArray<number | undefined> => {
  const seen = new Map<number, number>()
  return runs
    .map((run, index) => ({ run, index }))
    .reverse()
    .map(({ run, index }) => {
      const next = seen.get(run.length)
      seen.set(run.length, index)
      return next
    })
    .reverse()
}
