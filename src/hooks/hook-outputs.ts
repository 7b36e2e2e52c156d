/**
 * What the program of a hook writes, within bounds. Reading begins late: until then the kernel keeps what is written, and
 * for the many programs that end at once it can be taken whole, which is far cheaper than reading as it comes.
 */
import { Duration, Effect } from "effect"

type Child = Bun.Subprocess<Buffer, "pipe", "pipe">

export interface Written {
  readonly stdout: string
  readonly stderr: string
}

export interface Outputs {
  /** From now on it is read as it comes: a program that runs on must not wait for a reader. */
  readonly begin: () => void
  /** After the end of the program. `isAlone`: no other process holds the outputs, so that nothing more can come. */
  readonly rest: (isAlone: boolean) => Effect.Effect<Written>
  readonly close: () => void
}

/** A process that left the group may hold the outputs open. */
const OUTPUT_WAIT = Duration.seconds(1)

/** The child must have been started lazily. */
export const outputsOf = (child: Child): Outputs => {
  let collected: { readonly stdout: Collected; readonly stderr: Collected } | undefined
  const collecting = () => {
    collected ??= { stdout: collect(child.stdout), stderr: collect(child.stderr) }
    return collected
  }
  const whole = async (): Promise<Written> => {
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { stdout, stderr }
  }
  return {
    begin: () => void collecting(),
    rest: (isAlone) =>
      Effect.suspend(() => {
        if (isAlone && collected === undefined) return Effect.promise(whole)
        const { stderr, stdout } = collecting()
        const ended = Effect.promise(() => Promise.all([stdout.ended, stderr.ended]))
        return Effect.map(Effect.timeoutOption(ended, OUTPUT_WAIT), () => ({
          stdout: stdout.text(),
          stderr: stderr.text()
        }))
      }),
    close: () => {
      collected?.stdout.close()
      collected?.stderr.close()
    }
  }
}

export const MAX_OUTPUT_BYTES = 1024 * 1024
/** Each chunk is fresh memory, and the collector lets a fast writer pile up a hundred megabytes of them. */
const COLLECT_AFTER = 16 * 1024 * 1024

interface Collected {
  readonly ended: Promise<void>
  readonly text: () => string
  readonly close: () => void
}

/** What is beyond the bound is read and dropped: the program goes on, and its exit code still counts. */
const collect = (stream: ReadableStream<Uint8Array>): Collected => {
  const reader = stream.getReader()
  const chunks: Array<Uint8Array> = []
  let size = 0
  const read = async (): Promise<void> => {
    let sinceCollection = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (size < MAX_OUTPUT_BYTES) chunks.push(value.subarray(0, MAX_OUTPUT_BYTES - size))
      size += value.length
      sinceCollection += value.length
      if (sinceCollection > COLLECT_AFTER) {
        sinceCollection = 0
        Bun.gc(true)
      }
    }
  }
  return {
    // A read error means the same as the end: nothing more will come.
    ended: read().catch(() => {}),
    text: () => Buffer.concat(chunks).toString("utf8"),
    close: () => void reader.cancel().catch(() => {})
  }
}
