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
  private limit: number

  constructor(limit: number) {
    this.limit = limit
    this.ring = new Uint8Array(Math.min(FIRST_SIZE, limit))
  }

  /** Bytes ever pushed. */
  get total(): number {
    return this.received
  }

  get held(): number {
    return this.length
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
  last(count?: number): Uint8Array {
    const [first, second] = this.views(count)
    const copy = new Uint8Array(first.length + second.length)
    copy.set(first, 0)
    copy.set(second, first.length)
    return copy
  }

  /**
   * Text of the last `count` bytes, read in place. A character that was cut in front is dropped, and so is one at the end
   * while more is to come.
   */
  text(options: { readonly isComplete: boolean; readonly count?: number }): string {
    const [first, second] = this.views(options.count ?? this.length)
    const isCut = first.length + second.length < this.received
    const decoder = new TextDecoder()
    const skipped = isCut ? cutCharacter(first, second) : 0
    const head = decoder.decode(first.subarray(skipped), { stream: true })
    return head + decoder.decode(second.subarray(Math.max(0, skipped - first.length)), { stream: !options.isComplete })
  }

  /** Holds at most `limit` bytes from now on. */
  shrinkTo(limit: number): void {
    const [first, second] = this.views(limit)
    this.take(new Uint8Array(limit), first, second)
    this.limit = limit
  }

  /** The last `count` bytes in place, in two pieces; valid until the next push. */
  views(count: number = this.length): readonly [Uint8Array, Uint8Array] {
    const wanted = Math.min(count, this.length)
    const from = (this.start + this.length - wanted) % this.ring.length
    const first = Math.min(wanted, this.ring.length - from)
    return [this.ring.subarray(from, from + first), this.ring.subarray(0, wanted - first)]
  }

  private reserve(needed: number): void {
    if (needed <= this.ring.length || this.ring.length === this.limit) return
    let size = this.ring.length
    while (size < needed && size < this.limit) size *= 2
    const [first, second] = this.views()
    this.take(new Uint8Array(Math.min(size, this.limit)), first, second)
  }

  private take(ring: Uint8Array, first: Uint8Array, second: Uint8Array): void {
    ring.set(first, 0)
    ring.set(second, first.length)
    this.ring = ring
    this.start = 0
    this.length = first.length + second.length
  }
}

/** How many bytes in front continue a character whose beginning is gone. */
const cutCharacter = (first: Uint8Array, second: Uint8Array): number => {
  const at = (index: number) => (index < first.length ? first[index] : second[index - first.length])
  let count = 0
  while (count < 3 && ((at(count) ?? 0) & 0xc0) === 0x80) count += 1
  return count
}

/** The last `count` UTF-16 units of a text, without half a surrogate pair in front. */
export const lastUnits = (text: string, count: number): string => {
  if (text.length <= count) return text
  const tail = text.slice(text.length - count)
  const first = tail.charCodeAt(0)
  return first >= 0xdc00 && first <= 0xdfff ? tail.slice(1) : tail
}
