/**
 * Keys by the million in little memory: a key is kept as 64 bits of a hash, 17 bytes with its state, where a `Set` of
 * texts takes a hundred. Two keys with one hash are told apart by whoever reports them (`survey.ts`): that happens once
 * in thirty million batches of a million items.
 */
export class KeyIndex {
  private hashes: BigUint64Array
  private states: Uint8Array
  private slots: Int32Array
  private count = 0

  constructor(expected = 1024) {
    const room = Math.max(1024, expected)
    this.hashes = new BigUint64Array(room)
    this.states = new Uint8Array(room)
    this.slots = emptySlots(room)
  }

  get size(): number {
    return this.count
  }

  /** The number of the key, by the order in which keys came. */
  find(key: string): number | undefined {
    const hash = hashOf(key)
    const at = this.slots[this.slotFor(hash)]
    return at === undefined || at < 0 ? undefined : at
  }

  /** Its number, which is `size - 1` where it is new. */
  add(key: string): number {
    const hash = hashOf(key)
    const slot = this.slotFor(hash)
    const known = this.slots[slot]
    if (known !== undefined && known >= 0) return known
    if (this.count === this.hashes.length) this.grow()
    const number = this.count++
    this.hashes[number] = hash
    this.slots[this.slotFor(hash)] = number
    return number
  }

  stateOf(number: number): number {
    return this.states[number] ?? 0
  }

  setState(number: number, state: number): void {
    this.states[number] = state
  }

  private slotFor(hash: bigint): number {
    const mask = this.slots.length - 1
    let slot = Number(hash & 0x7fffffffn) & mask
    for (;;) {
      const at = this.slots[slot] ?? -1
      if (at < 0 || this.hashes[at] === hash) return slot
      slot = (slot + 1) & mask
    }
  }

  private grow(): void {
    const room = this.hashes.length * 2
    const hashes = new BigUint64Array(room)
    hashes.set(this.hashes)
    const states = new Uint8Array(room)
    states.set(this.states)
    this.hashes = hashes
    this.states = states
    this.slots = emptySlots(room)
    for (let number = 0; number < this.count; number++) this.slots[this.slotFor(hashes[number] ?? 0n)] = number
  }
}

const hashOf = (key: string): bigint => BigInt.asUintN(64, BigInt(Bun.hash(key)))

/** A power of two with a third of it free. */
const emptySlots = (room: number): Int32Array => {
  let size = 1024
  while (size < room * 1.5) size *= 2
  return new Int32Array(size).fill(-1)
}
