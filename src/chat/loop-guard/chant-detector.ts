/**
 * Notices when the model chants: the same fifty characters, ten times, close together. Structure (code, lists, tables,
 * headings) repeats by nature and resets the count.
 *
 * Every character of an answer passes through here, so the work for one is a few steps and allocates nothing: the text
 * stands in a ring with the hashes of its beginnings, from which any stretch of it has a hash at once, and a table leads
 * from the hash of a window to the last place where it was seen.
 */
const WINDOW = 50
const REPETITIONS = 10
/** Older text is forgotten. */
const KEPT_TEXT = 5000
const MAX_AVERAGE_DISTANCE = WINDOW * 5
const MAX_PERIODS = 5

/** Powers of two, so that a mask wraps an index. The ring holds more than the text that counts. */
const RING = 8192
const MASK = RING - 1
const BUCKETS = 16_384
const BASE = 0x01000193

export class ChantDetector {
  private readonly text = new Uint16Array(RING)
  /** Hash of everything before this position. */
  private readonly beginnings = new Int32Array(RING)
  private readonly powers = powersOf(BASE, KEPT_TEXT)
  /** For the window that starts here: its hash, and where it was seen before; zero: nowhere. */
  private readonly hashes = new Int32Array(RING)
  private readonly previous = new Int32Array(RING)
  /** The start of the latest window of each bucket. */
  private readonly latest = new Int32Array(BUCKETS)
  /** Positions count from the start of the prompt; what stands before `start` is forgotten. */
  private start = 1
  private end = 1
  private isInCode = false

  /** True when the text so far, with this piece, is a chant. */
  sees(added: string): boolean {
    const fences = added.match(/```/g)?.length ?? 0
    const wasInCode = this.isInCode
    if (fences % 2 === 1) this.isInCode = !wasInCode
    if (fences > 0 || isStructure(added)) {
      this.forget()
      return false
    }
    return !wasInCode && this.seesText(added)
  }

  /** A tool call shows progress: what was said before it no longer counts. */
  forget(): void {
    this.start = this.end
  }

  /** Everything that the loop needs is at hand in it: a long answer has millions of characters. */
  private seesText(added: string): boolean {
    const { beginnings, hashes, latest, previous, start, text } = this
    const windowPower = this.powers[WINDOW] ?? 0
    let beginning = beginnings[this.end & MASK] ?? 0
    for (let index = 0; index < added.length; index++) {
      const code = added.charCodeAt(index)
      text[this.end & MASK] = code
      const end = ++this.end
      beginning = (Math.imul(beginning, BASE) + code) | 0
      beginnings[end & MASK] = beginning
      const first = end - WINDOW
      if (first < start) continue
      const hash = (beginning - Math.imul(beginnings[first & MASK] ?? 0, windowPower)) | 0
      const bucket = (hash ^ (hash >>> 14)) & (BUCKETS - 1)
      const before = latest[bucket] ?? 0
      const isKnown = before >= start && end - before <= KEPT_TEXT && hashes[before & MASK] === hash
      hashes[first & MASK] = hash
      previous[first & MASK] = isKnown ? before : 0
      latest[bucket] = first
      if (isKnown && this.isChant(first)) {
        this.forget()
        return true
      }
    }
    return false
  }

  /** Whether the last ten places of this window are close together and have few different texts between them. */
  private isChant(last: number): boolean {
    const periods: Array<number> = []
    let place = last
    for (let count = 1; count < REPETITIONS; count++) {
      const before = this.previous[place & MASK] ?? 0
      if (before < this.start || this.end - before > KEPT_TEXT) return false
      const period = this.hashOf(before, place)
      if (!periods.includes(period) && periods.push(period) > MAX_PERIODS) return false
      place = before
    }
    return (last - place) / (REPETITIONS - 1) <= MAX_AVERAGE_DISTANCE && this.isSameText(last)
  }

  /** A hash is not proof: the text itself is compared before anything is stopped. */
  private isSameText(last: number): boolean {
    let place = last
    for (let count = 1; count < REPETITIONS; count++) {
      place = this.previous[place & MASK] ?? 0
      for (let at = 0; at < WINDOW; at++) {
        if (this.text[(place + at) & MASK] !== this.text[(last + at) & MASK]) return false
      }
    }
    return true
  }

  private hashOf(from: number, to: number): number {
    const before = Math.imul(this.beginnings[from & MASK] ?? 0, this.powers[to - from] ?? 0)
    return ((this.beginnings[to & MASK] ?? 0) - before) | 0
  }
}

const powersOf = (base: number, count: number): Int32Array => {
  const powers = new Int32Array(count + 1)
  powers[0] = 1
  for (let exponent = 1; exponent <= count; exponent++) powers[exponent] = Math.imul(powers[exponent - 1] ?? 0, base)
  return powers
}

/** At the first character of a line that is not a space: table row or border, list, numbered list. */
const INDENTED = /^(?:\|.*\||[|+-]{3,}|[*+-]\s|\d+\.\s)/
/** At the very beginning of a line: heading, quotation. */
const FLUSH = /^(?:#{1,6}\s|>\s)/
const DIVIDER = /^[+\-_=*\u2500-\u257f]+$/
/** All of this begins with one of these, or with a character that is not ASCII. */
const MARKS = new Set([..."|+-*#>_=0123456789"].map((mark) => mark.charCodeAt(0)))

const isStructure = (text: string): boolean => {
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

const isMark = (code: number): boolean => code > 0x7f || MARKS.has(code)

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09
