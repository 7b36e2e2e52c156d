/**
 * Breaks spans into rows of a given width: at spaces where possible, between wide characters, and inside a word only
 * where the word alone is wider than a row.
 */
import { joinAlike, type Span } from "./span.ts"

export interface Row {
  readonly spans: ReadonlyArray<Span>
  /** Characters of all spans up to the end of this row, the spaces at the break included. */
  readonly end: number
}

export const wrapSpans = (spans: ReadonlyArray<Span>, width: number): ReadonlyArray<Row> => {
  const length = spans.reduce((sum, { text }) => sum + text.length, 0)
  if (length <= width && widthOf(spans) <= width) return [{ spans, end: length }]
  const rows = new RowBuilder(Math.max(1, width))
  // Text that was read in pieces may have been cut inside a character.
  for (const word of wordsOf(joinAlike(spans))) rows.add(word)
  return rows.finish()
}

/** The same for text in one dress. */
export const wrapText = (line: string, width: number): ReadonlyArray<string> =>
  wrapSpans([{ text: line.replaceAll("\t", "    "), inks: [] }], width).map(({ spans }) =>
    spans.map(({ text }) => text).join("")
  )

/** What is left of spans after so many characters. */
export const spansAfter = (spans: ReadonlyArray<Span>, count: number): ReadonlyArray<Span> => {
  let skipped = 0
  return spans.flatMap((span) => {
    const from = Math.max(0, count - skipped)
    skipped += span.text.length
    return from >= span.text.length ? [] : [from === 0 ? span : { ...span, text: span.text.slice(from) }]
  })
}

/** Pieces that stay together, from one place where a line may break to the next. */
interface Word {
  readonly pieces: ReadonlyArray<Span>
  readonly isSpace: boolean
}

class RowBuilder {
  private readonly rows: Array<Row> = []
  private current: Array<Span> = []
  private used = 0
  private consumed = 0
  private pendingSpace: Array<Span> = []

  private readonly width: number

  constructor(width: number) {
    this.width = width
  }

  add({ isSpace, pieces }: Word): void {
    for (const piece of pieces) this.consumed += piece.text.length
    // Spaces wait until it is known whether something follows them in the same row; those at its start are indentation.
    if (isSpace && this.current.length > 0) this.pendingSpace.push(...pieces)
    else this.place(pieces)
  }

  finish(): ReadonlyArray<Row> {
    if (this.current.length > 0 || this.rows.length === 0) this.rows.push({ spans: this.current, end: this.consumed })
    return this.rows
  }

  private place(pieces: ReadonlyArray<Span>): void {
    const length = pieces.reduce((sum, { text }) => sum + text.length, 0)
    const width = widthOf(pieces)
    if (this.current.length > 0 && this.used + widthOf(this.pendingSpace) + width > this.width) {
      this.breakRow(this.consumed - length)
    } else {
      this.current.push(...this.pendingSpace)
      this.used += widthOf(this.pendingSpace)
    }
    this.pendingSpace = []
    if (this.used + width <= this.width) {
      this.current.push(...pieces)
      this.used += width
    } else this.split(pieces, this.consumed - length)
  }

  /** A word that is wider than a row. */
  private split(pieces: ReadonlyArray<Span>, start: number): void {
    let at = start
    for (const piece of pieces) {
      let text = ""
      for (const character of characters(piece.text)) {
        const width = Bun.stringWidth(character)
        if (this.used + width > this.width && this.used > 0) {
          if (text !== "") this.current.push({ ...piece, text })
          text = ""
          this.breakRow(at)
        }
        text += character
        this.used += width
        at += character.length
      }
      if (text !== "") this.current.push({ ...piece, text })
    }
  }

  private breakRow(end: number): void {
    this.rows.push({ spans: this.current, end })
    this.current = []
    this.used = 0
  }
}

const widthOf = (pieces: ReadonlyArray<Span>): number =>
  pieces.reduce((sum, { text }) => sum + Bun.stringWidth(text), 0)

const wordsOf = function* (spans: ReadonlyArray<Span>): Generator<Word> {
  let word: Array<Span> = []
  let endsWide = false
  for (const span of spans) {
    for (const text of span.text.split(/( +)/)) {
      if (text === "") continue
      const isSpace = text.startsWith(" ")
      for (const unit of isSpace || isNarrow(text) ? [{ text, isWide: false }] : unitsOf(text)) {
        // A line may break before and after a wide character, but not between it and what closes it.
        const mayBreak = isSpace || ((unit.isWide || endsWide) && !CLOSING.test(unit.text))
        if (mayBreak && word.length > 0) {
          yield { pieces: word, isSpace: false }
          word = []
        }
        if (isSpace) yield { pieces: [{ ...span, text }], isSpace: true }
        else word.push({ ...span, text: unit.text })
        endsWide = unit.isWide
      }
    }
  }
  if (word.length > 0) yield { pieces: word, isSpace: false }
}

const CLOSING = /^[.,;:!?)\]}%'"»”’…。、，．！？：；）】》」』]/

/**
 * By what it is made of, never by the width of the whole: Devanagari has syllables of two cells, and a word of them would
 * come apart or not depending on what stands beside it.
 */
const isNarrow = (text: string): boolean => !/[\u1100-\uffdc]/.test(text)

const unitsOf = function* (text: string): Generator<{ readonly text: string; readonly isWide: boolean }> {
  for (const character of characters(text))
    yield { text: character, isWide: !isNarrow(character) && Bun.stringWidth(character) > 1 }
}

const characters = function* (text: string): Generator<string> {
  if (/^[\x20-\x7e]*$/.test(text)) yield* text
  else for (const { segment } of new Intl.Segmenter().segment(text)) yield segment
}
