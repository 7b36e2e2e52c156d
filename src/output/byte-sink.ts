/**
 * Bytes on their way to a reader who may be slow, or may never read. A write ends when the system has taken all of it, or
 * when the program gives up: from then on nothing waits any more.
 */
export interface ByteSink {
  /** Every byte is handed to the system when it resolves. Rejects with `Unread` once it is given up. */
  readonly write: (text: string) => Promise<void>
  /** What is under way and whatever comes is dropped. */
  readonly giveUp: () => void
}

/** Nobody read in time. */
export class Unread extends Error {}

/** The writer of Bun for a descriptor, of which both the result of `write` and that of `flush` tell of a full disk. */
export const byteSink = (descriptor: Bun.BunFile): ByteSink => {
  const sink = descriptor.writer()
  const waiting = new Set<(reason: Unread) => void>()
  let isGivenUp = false
  const written = async (text: string): Promise<void> => {
    await sink.write(text)
    await sink.flush()
  }
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (isGivenUp) return reject(new Unread())
        waiting.add(reject)
        written(text)
          .then(resolve, reject)
          .finally(() => waiting.delete(reject))
      }),
    giveUp: () => {
      isGivenUp = true
      for (const reject of waiting) reject(new Unread())
    }
  }
}
