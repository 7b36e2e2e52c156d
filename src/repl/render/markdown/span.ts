/** A piece of text in one dress. A line is a list of them; nothing is painted before it is known where lines break. */
import type { Ink, Paint } from "../paint.ts"

export interface Span {
  readonly text: string
  readonly inks: ReadonlyArray<Ink>
  /** Target of a link. */
  readonly href?: string
}

export const plainSpan = (text: string): Span => ({ text, inks: [] })

export interface SpanStyle {
  readonly paint: Paint
  /** The terminal knows OSC 8. */
  readonly links: boolean
}

export const paintSpans = (spans: ReadonlyArray<Span>, style: SpanStyle): string =>
  joinAlike(spans)
    .map(({ href, inks, text }) => {
      const painted = style.paint(text, ...inks)
      return style.links && href !== undefined ? `\u001b]8;;${href}\u001b\\${painted}\u001b]8;;\u001b\\` : painted
    })
    .join("")

/** Words of one dress become one piece again: whoever searches the output finds them together. */
export const joinAlike = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const joined: Array<Span> = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last !== undefined && last.href === span.href && last.inks.join() === span.inks.join()) {
      joined[joined.length - 1] = { ...last, text: last.text + span.text }
    } else joined.push(span)
  }
  return joined
}

export const textOf = (spans: ReadonlyArray<Span>): string => spans.map(({ text }) => text).join("")

/** The first characters of spans. */
export const spansUpTo = (spans: ReadonlyArray<Span>, count: number): ReadonlyArray<Span> => {
  let left = count
  return spans.flatMap((span) => {
    const length = Math.max(0, left)
    left -= span.text.length
    if (length === 0) return []
    return [length >= span.text.length ? span : { ...span, text: span.text.slice(0, length) }]
  })
}
