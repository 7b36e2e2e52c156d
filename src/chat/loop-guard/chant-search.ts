/**
 * Looks for a chant: the same fifty characters, ten times, close together.
 *
 * The work for one character is a few steps and allocates nothing: the text stands in a ring with the hashes of its
 * beginnings, from which any stretch of it has a hash at once, and a table leads from the hash of a window to the last
 * place where it was seen.
 */
const WINDOW = 50
const REPETITIONS = 10
/** Older text is forgotten. */
export const KEPT_TEXT = 5000
const MAX_AVERAGE_DISTANCE = WINDOW * 5
const MAX_PERIODS = 5

/** Powers of two, so that a mask wraps an index. The ring holds more than the text that counts. */
const RING = 8192
const MASK = RING - 1
const BUCKETS = 16_384
const BASE = 0x01000193

export class ChantSearch {
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

  /** What was said before no longer counts. */
  forget(): void {
    this.start = this.end
  }

  /** True when the text so far, with this piece, is a chant. Everything that the loop needs is at hand in it. */
  sees(added: string): boolean {
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
