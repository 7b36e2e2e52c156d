/**
 * The last bytes of a stream that may be endless. Memory is bounded by `limit`, whatever is pushed: a ring that grows by
 * doubling and then overwrites its oldest bytes. Small chunks cost no objects.
 */

const FIRST_SIZE = 64 * 1024

export class TailBuffer {
  private ring: Uint8Array
  private start = 0
  private length = 0
  private received = 0
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
    this.ring = new Uint8Array(Math.min(FIRST_SIZE, limit))
  }

  /** Bytes ever pushed. */
  get total(): number {
    return this.received
  }

  /** Bytes that were pushed and are no longer held. */
  get dropped(): number {
    return this.received - this.length
  }

  push(bytes: Uint8Array): void {
    this.received += bytes.length
    const kept = bytes.length > this.limit ? bytes.subarray(bytes.length - this.limit) : bytes
    this.reserve(this.length + kept.length)
    const size = this.ring.length
    const at = (this.start + this.length) % size
    const first = Math.min(kept.length, size - at)
    this.ring.set(kept.subarray(0, first), at)
    this.ring.set(kept.subarray(first), 0)
    const length = this.length + kept.length
    if (length > size) this.start = (this.start + length - size) % size
    this.length = Math.min(length, size)
  }

  /** A copy of the last `count` bytes that are held. */
  last(count: number = this.length): Uint8Array {
    const wanted = Math.min(count, this.length)
    const from = (this.start + this.length - wanted) % this.ring.length
    const copy = new Uint8Array(wanted)
    const first = Math.min(wanted, this.ring.length - from)
    copy.set(this.ring.subarray(from, from + first), 0)
    copy.set(this.ring.subarray(0, wanted - first), first)
    return copy
  }

  private reserve(needed: number): void {
    if (needed <= this.ring.length || this.ring.length === this.limit) return
    let size = this.ring.length
    while (size < needed && size < this.limit) size *= 2
    const bigger = new Uint8Array(Math.min(size, this.limit))
    bigger.set(this.last(), 0)
    this.ring = bigger
    this.start = 0
  }
}

/**
 * Text of bytes that may have been cut in the middle of a character: the remains of a cut character at the front are
 * dropped, and those at the end too while more is to come.
 */
export const decodeUtf8 = (bytes: Uint8Array, cut: { readonly front: boolean; readonly end: boolean }): string => {
  let from = 0
  if (cut.front) while (from < 3 && from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return new TextDecoder().decode(bytes.subarray(from), { stream: cut.end })
}

/** The last `count` UTF-16 units of a text, without half a surrogate pair in front. */
export const lastUnits = (text: string, count: number): string => {
  if (text.length <= count) return text
  const tail = text.slice(text.length - count)
  const first = tail.charCodeAt(0)
  return first >= 0xdc00 && first <= 0xdfff ? tail.slice(1) : tail
}
