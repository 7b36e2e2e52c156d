/**
 * A line that is left to the terminal to wrap, given out in pieces as it grows. No break is put into it but one: where
 * the terminal would begin a row with what looks like a line of ours, that row begins a line of its own and is moved
 * aside.
 */
import { continuesAsOurs } from "../marks.ts"
import { type Span, spansUpTo, textOf } from "./span.ts"
import { spansAfter } from "./wrap.ts"

export interface FlowSpace {
  /** Cells of the line that are on the screen already. */
  readonly cells: number
  /** Of the window. */
  readonly width: number
  /** Nothing follows in this line. */
  readonly isComplete: boolean
}

export interface Flowed {
  /** To be painted one after the other, with a line break and a blank between them. */
  readonly pieces: ReadonlyArray<ReadonlyArray<Span>>
  readonly cells: number
  /** Spaces at the end, and the start of a row that cannot be judged yet. */
  readonly left: ReadonlyArray<Span>
}

export const flowed = (spans: ReadonlyArray<Span>, { cells, isComplete, width }: FlowSpace): Flowed => {
  const text = textOf(spans)
  const end = isComplete ? text.trimEnd().length : settledEnd(text)
  const after = cells + cellsOf(text.slice(0, end))
  const startsRow = cells > 0 && cells % width === 0
  if (!startsRow && Math.floor(cells / width) === Math.floor(after / width)) {
    return { pieces: [spansUpTo(spans, end)], cells: after, left: spansAfter(spans, end) }
  }
  const pieces: Array<ReadonlyArray<Span>> = []
  let from = 0
  let used = cells
  const cutAt = (offset: number) => {
    pieces.push(spansUpTo(spansAfter(spans, from), offset - from))
    from = offset
  }
  for (const { index, segment } of segmenter.segment(text.slice(0, end))) {
    const room = Bun.stringWidth(segment)
    // A wide character that has no room at the end of a row begins the next one.
    if ((used % width) + room > width) used += width - (used % width)
    if (used > 0 && used % width === 0) {
      const rest = text.slice(index)
      if (!isComplete && rest.length < LONGEST_MARK) {
        cutAt(index)
        return { pieces, cells: used, left: spansAfter(spans, index) }
      }
      if (continuesAsOurs(rest)) {
        cutAt(index)
        used = 1
      }
    }
    used += room
  }
  cutAt(end)
  return { pieces, cells: used, left: spansAfter(spans, end) }
}

/**
 * Without spaces at the end, and without a last character that what follows may still join: it would count twice. Digits
 * are joined as well, by what makes keys of them; half a character says nothing about the one before it.
 */
export const settledEnd = (text: string): number => {
  const known = text.length - (/[\ud800-\udbff]$/.test(text) ? 1 : 0)
  const end = Math.min(text.trimEnd().length, known - 1)
  if (end <= 0) return 0
  return ASCII.test(text.slice(end - 1, end + 1))
    ? end
    : (segmenter.segment(text.slice(0, known)).containing(end)?.index ?? end)
}

/** Character by character: of some together less is said than of each alone, and chunks must not make a difference. */
const cellsOf = (text: string): number => {
  if (ASCII.test(text)) return text.length
  let cells = 0
  for (const { segment } of segmenter.segment(text)) cells += Bun.stringWidth(segment)
  return cells
}

const ASCII = /^[\x20-\x7e]*$/

/** Before so many characters a line may still turn out to look like one of ours. */
export const LONGEST_MARK = 12

const segmenter = new Intl.Segmenter()
