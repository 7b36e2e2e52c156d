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
import { KEPT_TEXT } from "./chant-search.ts"

const BLOCK = 8
/** A stretch that begins at most seven characters into a window of fifty lies within it. */
const STRETCH_BLOCKS = 5
const KEPT_BLOCKS = Math.ceil(KEPT_TEXT / BLOCK) + 1
const BASE = 0x01000193

/** So many characters are laid out at once. */
const ROOM = 16_384

/** A power of two, more than three times what is kept: a stretch nearly always finds one of its places free. */
const SLOTS = 2048
const PROBES = 8

export class RepeatFilter {
  /** By slot: the hash of a stretch, and the number of its last block; zero: nothing yet. */
  private readonly hashes = new Int32Array(SLOTS)
  private readonly places = new Int32Array(SLOTS)
  /** The hashes of the last blocks, by their number. */
  private readonly blocks = new Int32Array(BLOCK)
  private readonly power = powerOf(BASE, STRETCH_BLOCKS)
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
      const block = Math.imul(words[word] ?? 0, BASE) ^ (words[word + 1] ?? 0)
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
    this.stretch = (Math.imul(this.stretch, BASE) + block - Math.imul(gone, this.power)) | 0
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
