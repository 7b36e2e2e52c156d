/**
 * Conversations as JSON. A conversation is sent again with every turn and mostly grows: what was written before is
 * kept and only the new messages are written, so that a long run does not pay for its past again and again.
 *
 * It is kept as bytes, in one buffer that grows. As text it would be put together anew for every request, and the copies
 * would wait for the garbage collector: a long run would need several times the memory.
 */
import type { Content } from "../protocol/content.ts"

export class ContentsJson {
  /** By the first message, which tells conversations apart: several may take turns. */
  readonly #written = new WeakMap<Content, Written>()

  /**
   * The text that stands before the conversation, the conversation, the text behind it. Messages are compared by identity: they
   * do not change. The bytes are good until the next request is written.
   */
  write(contents: ReadonlyArray<Content>, { before, after }: { readonly before: string; readonly after: string }) {
    const [first] = contents
    const known = first === undefined ? undefined : this.#written.get(first)
    const written = known?.before === before ? known : new Written(before)
    if (first !== undefined) this.#written.set(first, written)
    return written.with(contents, after)
  }
}

class Written {
  readonly before: string
  private buffer = Buffer.alloc(0)
  private contents: ReadonlyArray<Content> = []
  /** Where the conversation begins, and where each message ends. */
  private readonly ends: Array<number>

  constructor(before: string) {
    this.before = before
    this.ends = [this.put(`${before}[`, 0)]
  }

  with(contents: ReadonlyArray<Content>, after: string): Uint8Array<ArrayBuffer> {
    const kept = commonLength(this.contents, contents)
    this.ends.length = kept + 1
    let end = this.ends[kept] ?? 0
    for (let index = kept; index < contents.length; index++) {
      end = this.put(`${index === 0 ? "" : ","}${JSON.stringify(contents[index])}`, end)
      this.ends.push(end)
    }
    this.contents = contents
    const total = this.put(`]${after}`, end)
    return this.buffer.subarray(0, total)
  }

  /** Where the text ends that is put here. */
  private put(text: string, at: number): number {
    const end = at + Buffer.byteLength(text)
    if (end > this.buffer.length) {
      const larger = Buffer.alloc(Math.max(end, 2 * this.buffer.length))
      this.buffer.copy(larger, 0, 0, at)
      this.buffer = larger
    }
    this.buffer.write(text, at)
    return end
  }
}

const commonLength = (a: ReadonlyArray<Content>, b: ReadonlyArray<Content>): number => {
  const end = Math.min(a.length, b.length)
  for (let index = 0; index < end; index++) if (a[index] !== b[index]) return index
  return end
}
