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
  /** For the window that starts here: its hash, where it was seen before, how many times in a row with this one. */
  private readonly hashes = new Int32Array(RING)
  private readonly previous = new Int32Array(RING)
  private readonly runs = new Int32Array(RING)
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
    if (wasInCode) return false
    for (let index = 0; index < added.length; index++) if (this.seesCharacter(added.charCodeAt(index))) return true
    return false
  }

  /** A tool call shows progress: what was said before it no longer counts. */
  forget(): void {
    this.start = this.end
  }

  private seesCharacter(code: number): boolean {
    const end = this.end + 1
    this.text[this.end & MASK] = code
    this.beginnings[end & MASK] = (Math.imul(this.beginnings[this.end & MASK] ?? 0, BASE) + code) | 0
    this.end = end
    const first = end - WINDOW
    if (first < this.start) return false
    const hash = this.hashOf(first, end)
    const bucket = (hash ^ (hash >>> 14)) & (BUCKETS - 1)
    const before = this.latest[bucket] ?? 0
    const isKnown = before >= this.start && end - before <= KEPT_TEXT && this.hashes[before & MASK] === hash
    const run = isKnown ? (this.runs[before & MASK] ?? 0) + 1 : 1
    this.hashes[first & MASK] = hash
    this.previous[first & MASK] = before
    this.runs[first & MASK] = run
    this.latest[bucket] = first
    if (run < REPETITIONS || !this.isChant(first)) return false
    this.forget()
    return true
  }

  /** Whether the last ten places of this window are close together and have few different texts between them. */
  private isChant(last: number): boolean {
    const periods: Array<number> = []
    let place = last
    for (let count = 1; count < REPETITIONS; count++) {
      const before = this.previous[place & MASK] ?? 0
      if (this.end - before > KEPT_TEXT) return false
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

const STRUCTURE = [
  /(^|\n)\s*\|.*\|/, // table row
  /(^|\n)\s*[|+-]{3,}/, // table border
  /(^|\n)\s*[*+-]\s/, // list
  /(^|\n)\s*\d+\.\s/, // numbered list
  /(^|\n)#{1,6}\s/, // heading
  /(^|\n)>\s/ // quotation
]
const DIVIDER = /^[+\-_=*\u2500-\u257f]+$/

const isStructure = (text: string): boolean =>
  mayBeStructure(text) && (STRUCTURE.some((pattern) => pattern.test(text)) || DIVIDER.test(text.trim()))

/** Structure shows in the first character of a line; few lines have one of these, and only then the patterns are tried. */
const MARKS = new Set([..."|+-*#>_=0123456789"].map((mark) => mark.charCodeAt(0)))

const mayBeStructure = (text: string): boolean => {
  let start = 0
  do {
    let at = start
    while (isSpace(text.charCodeAt(at))) at++
    const code = text.charCodeAt(at)
    // What is not ASCII may be a space, too, or a line.
    if (code > 0x7f || MARKS.has(code)) return true
    start = text.indexOf("\n", start) + 1
  } while (start > 0)
  return false
}

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)
