/**
 * What the program of a hook writes, within bounds. Reading begins late: until then the kernel keeps what is written, and
 * for the many programs that end at once it can be taken whole, which is far cheaper than reading as it comes.
 */
import { Duration, Effect } from "effect"
import { type BoundedOutput, boundedOutput } from "../system/bounded-output.ts"

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

export const MAX_OUTPUT_BYTES = 1024 * 1024
const BOUND = { maxBytes: MAX_OUTPUT_BYTES }

/** A process that left the group may hold the outputs open. */
const OUTPUT_WAIT = Duration.seconds(1)

/** The child must have been started lazily. */
export const outputsOf = (child: Child): Outputs => {
  let collected: { readonly stdout: BoundedOutput; readonly stderr: BoundedOutput } | undefined
  const collecting = () => {
    collected ??= { stdout: boundedOutput(child.stdout, BOUND), stderr: boundedOutput(child.stderr, BOUND) }
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
