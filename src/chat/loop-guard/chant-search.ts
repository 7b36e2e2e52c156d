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

const BLOCK = 8

/** A stretch that begins at most seven characters into a window of fifty lies within it. */
const STRETCH_BLOCKS = 5

const KEPT_BLOCKS = Math.ceil(KEPT_TEXT / BLOCK) + 1

const BLOCK_BASE = 0x01000193

/** So many characters are laid out at once. */
const ROOM = 16_384

/** A power of two, more than three times what is kept: a stretch nearly always finds one of its places free. */
const SLOTS = 2048

const PROBES = 8

/**
 * Tells text that cannot be a chant from text that might be one, at a small part of the work of a search.
 *
 * The text is laid out in blocks of eight characters, and only stretches of whole blocks are compared. That misses no
 * chant: of ten windows of fifty characters with the same text, two begin at the same place within a block, and then the
 * first five whole blocks in both of them are the same.
 *
 * A character is taken by its low byte, so that a block is two numbers and not eight: what is the same stays the same, and
 * what only looks so is searched for nothing.
 */
export class RepeatFilter {
  /** By slot: the hash of a stretch, and the number of its last block; zero: nothing yet. */
  private readonly hashes = new Int32Array(SLOTS)
  private readonly places = new Int32Array(SLOTS)
  /** The hashes of the last blocks, by their number. */
  private readonly blocks = new Int32Array(BLOCK)
  private readonly power = powerOf(BLOCK_BASE, STRETCH_BLOCKS)
  private readonly bytes = Buffer.alloc(ROOM)
  private readonly words = new Int32Array(this.bytes.buffer, this.bytes.byteOffset, ROOM / 4)
  /** Characters at the beginning of the room that do not fill a block yet. */
  private unfinished = 0
  private stretch = 0
  private count = 0
  /** Blocks up to this one are forgotten. */
  private start = 0

  /** True when a stretch of this piece was seen not long before. */
  sees(added: string): boolean {
    let recurs = false
    for (let at = 0; at < added.length; ) {
      const end = Math.min(added.length, at + ROOM - this.unfinished)
      if (this.recursIn(end - at === added.length ? added : added.slice(at, end))) recurs = true
      at = end
    }
    return recurs
  }

  forget(): void {
    this.start = this.count
    this.unfinished = 0
  }

  /** Of a text for which there is room. */
  private recursIn(text: string): boolean {
    const { bytes, words } = this
    bytes.write(text, this.unfinished, "latin1")
    const filled = this.unfinished + text.length
    this.unfinished = filled % BLOCK
    const whole = filled - this.unfinished
    let recurs = false
    for (let word = 0; word < whole / 4; word += 2) {
      const block = Math.imul(words[word] ?? 0, BLOCK_BASE) ^ (words[word + 1] ?? 0)
      if (this.recursWith(block)) recurs = true
    }
    bytes.copyWithin(0, whole, filled)
    return recurs
  }

  private recursWith(block: number): boolean {
    const count = ++this.count
    const { blocks } = this
    const gone = blocks[(count - STRETCH_BLOCKS) & (BLOCK - 1)] ?? 0
    blocks[count & (BLOCK - 1)] = block
    this.stretch = (Math.imul(this.stretch, BLOCK_BASE) + block - Math.imul(gone, this.power)) | 0
    return count - STRETCH_BLOCKS >= this.start && this.wasSeen(this.stretch, count)
  }

  /** Takes a place among those of its hash: its own, one that has become too old, or else the last. */
  private wasSeen(hash: number, count: number): boolean {
    const { hashes, places } = this
    const oldest = Math.max(this.start, count - KEPT_BLOCKS)
    const first = hash ^ (hash >>> 15)
    let slot = 0
    for (let probe = 0; probe < PROBES; probe++) {
      slot = (first + probe) & (SLOTS - 1)
      const isOld = (places[slot] ?? 0) <= oldest
      if (isOld || hashes[slot] === hash) {
        const isSame = !isOld
        hashes[slot] = hash
        places[slot] = count
        return isSame
      }
    }
    hashes[slot] = hash
    places[slot] = count
    return false
  }
}

const powerOf = (base: number, exponent: number): number => {
  let power = 1
  for (let count = 0; count < exponent; count++) power = Math.imul(power, base)
  return power
}
