/**
 * Tells text that cannot be a chant from text that might be one, at an eighth of the work of a search.
 *
 * The text is laid out in blocks of eight characters, and only stretches of whole blocks are compared. That misses no
 * chant: of ten windows of fifty characters with the same text, two begin at the same place within a block, and then the
 * first five whole blocks in both of them are the same.
 */
import { KEPT_TEXT } from "./chant-search.ts"

const BLOCK = 8
/** A stretch that begins at most seven characters into a window of fifty lies within it. */
const STRETCH_BLOCKS = 5
const KEPT_BLOCKS = Math.ceil(KEPT_TEXT / BLOCK) + 1
const BASE = 0x01000193

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
  /** Characters that do not fill a block yet. */
  private unfinished = ""
  private stretch = 0
  private count = 0
  /** Blocks up to this one are forgotten. */
  private start = 0

  /** True when a stretch of this piece was seen not long before. */
  sees(added: string): boolean {
    let recurs = false
    let start = 0
    if (this.unfinished !== "") {
      start = BLOCK - this.unfinished.length
      const block = this.unfinished + added.slice(0, start)
      if (block.length === BLOCK && this.recursWith(hashOfBlock(block, 0))) recurs = true
      this.unfinished = block.length === BLOCK ? "" : block
    }
    for (; start + BLOCK <= added.length; start += BLOCK) {
      if (this.recursWith(hashOfBlock(added, start))) recurs = true
    }
    if (start < added.length) this.unfinished = added.slice(start)
    return recurs
  }

  forget(): void {
    this.start = this.count
    this.unfinished = ""
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

/** Two words of four characters, which do not wait for one another. */
const hashOfBlock = (text: string, at: number): number => {
  const first =
    text.charCodeAt(at) ^
    (text.charCodeAt(at + 1) << 8) ^
    (text.charCodeAt(at + 2) << 16) ^
    (text.charCodeAt(at + 3) << 24)
  const second =
    text.charCodeAt(at + 4) ^
    (text.charCodeAt(at + 5) << 8) ^
    (text.charCodeAt(at + 6) << 16) ^
    (text.charCodeAt(at + 7) << 24)
  return (Math.imul(first, BASE) ^ second) | 0
}

const powerOf = (base: number, exponent: number): number => {
  let power = 1
  for (let count = 0; count < exponent; count++) power = Math.imul(power, base)
  return power
}
