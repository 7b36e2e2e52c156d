/**
 * Reads what a program writes, within a bound. What is beyond it is read and dropped: a program must not wait for a
 * reader, and its exit code still counts. Whoever does not want to go on then is told, once.
 */
export interface BoundedOutput {
  /** All who could write are gone, or the reading was stopped. */
  readonly ended: Promise<void>
  readonly bytes: () => Buffer
  readonly text: () => string
  /** Stops reading. Whoever still writes then learns that nobody listens. */
  readonly close: () => void
}

export interface OutputBound {
  readonly maxBytes: number
  readonly onOver?: () => void
}

/** Each chunk is fresh memory, and the collector lets a fast writer pile up a hundred megabytes of them. */
const COLLECT_AFTER = 16 * 1024 * 1024

export const boundedOutput = (
  stream: ReadableStream<Uint8Array>,
  { maxBytes, onOver = () => {} }: OutputBound
): BoundedOutput => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const reading = eachChunk(stream, (chunk) => {
    if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size))
    const wasWithin = size <= maxBytes
    size += chunk.length
    if (wasWithin && size > maxBytes) onOver()
  })
  const bytes = () => Buffer.concat(chunks)
  return { ...reading, bytes, text: () => bytes().toString("utf8") }
}

/** Hands on each piece as it comes. A read error means the same as the end: nothing more will come. */
export const eachChunk = (
  stream: ReadableStream<Uint8Array>,
  take: (chunk: Uint8Array) => void
): Pick<BoundedOutput, "ended" | "close"> => {
  const reader = stream.getReader()
  const read = async (): Promise<void> => {
    let sinceCollection = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      take(value)
      sinceCollection += value.length
      if (sinceCollection > COLLECT_AFTER) {
        sinceCollection = 0
        Bun.gc(true)
      }
    }
  }
  return { ended: read().catch(() => {}), close: () => void reader.cancel().catch(() => {}) }
}
