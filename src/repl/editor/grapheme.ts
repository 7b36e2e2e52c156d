/**
 * Borders of what a person takes for one character: a letter with its accents, a flag, a family of emoji. The cursor
 * never stands inside one. ICU is only asked where it matters: between two plain characters the border is known.
 */

/** The border after the character at `at`; the end of the text at its end. */
export const nextBorder = (text: string, at: number): number => {
  if (at >= text.length) return text.length
  if (isPlain(text, at) && isPlain(text, at + 1)) return at + 1
  const end = Math.min(text.length, at + LONGEST)
  const [first] = segmenter().segment(text.slice(at, end))
  return at + (first?.segment.length ?? 1)
}

/** The border before `at`; 0 at the start. */
export const previousBorder = (text: string, at: number): number => {
  if (at <= 0) return 0
  if (isPlain(text, at - 1) && isPlain(text, at)) return at - 1
  const start = plainStart(text, at)
  let border = start
  for (const { index } of segmenter().segment(text.slice(start, at))) border = start + index
  return border
}

/** The characters of a text, in order. */
export const graphemes = (text: string): ReadonlyArray<string> => {
  if (isAllPlain(text)) return text.split("")
  return Array.from(segmenter().segment(text), ({ segment }) => segment)
}

/** Far beyond any real cluster, in UTF-16 units. */
const LONGEST = 256

/** Below the combining marks nothing joins with its neighbours. The end of the text counts as plain. */
const isPlain = (text: string, at: number): boolean => at >= text.length || text.charCodeAt(at) < 0x300

const isAllPlain = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (!isPlain(text, at)) return false
  return true
}

/** Where segmenting may begin so that it sees whole clusters up to `at`. */
const plainStart = (text: string, at: number): number => {
  const limit = Math.max(0, at - LONGEST)
  for (let start = at - 1; start > limit; start -= 1) if (isPlain(text, start) && isPlain(text, start - 1)) return start
  return limit
}

const onFirstUse = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}

const segmenter = onFirstUse(() => new Intl.Segmenter("en", { granularity: "grapheme" }))
