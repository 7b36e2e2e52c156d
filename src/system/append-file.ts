/**
 * Adding to a file that a person named: it may as well be a FIFO, a device, or a descriptor (`/dev/fd/3`). Opening and
 * writing never wait in the kernel: a FIFO that nobody reads would hold the process beyond every limit and every signal.
 */
import { closeSync, constants, openSync, writeSync } from "node:fs"
import { Duration, Effect, Predicate, Schedule } from "effect"
import { messageOf } from "../kernel/cause-chain.ts"

const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)

/** Throws. What a pipe takes at once is enough for a line; the rest of a longer one is given up when its reader is slow. */
export const appendNow = (file: string, text: string): void => {
  const rest = written(file, Buffer.from(text))
  if (rest.length > 0) throw new Error(NOT_READ)
}

/** Waits for a reader that takes its time, as long as it takes something. */
export const append = (file: string, text: string): Effect.Effect<void, string> =>
  Effect.suspend(() => {
    let rest = Buffer.from(text)
    let stillFor = 0
    return Effect.try({
      try: () => {
        const before = rest.length
        rest = written(file, rest)
        stillFor = rest.length < before ? 0 : stillFor + 1
        return rest.length === 0
      },
      catch: reasonOf
    }).pipe(
      Effect.repeat({ until: (isDone) => isDone || stillFor >= PATIENCE, schedule: Schedule.spaced(PAUSE) }),
      Effect.flatMap(() => (rest.length === 0 ? Effect.void : Effect.fail(NOT_READ)))
    )
  })

const PAUSE = Duration.millis(20)
/** In pauses: a second. */
const PATIENCE = 50

const NOT_READ = "nobody reads it"

/** What could not be written, because the reader has not made room. */
const written = (file: string, bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> => {
  const descriptor = openSync(file, FLAGS, 0o600)
  let rest = bytes
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest))
  } catch (error) {
    if (codeOf(error) !== "EAGAIN") throw error
  } finally {
    closeSync(descriptor)
  }
  return rest
}

const codeOf = (error: unknown): unknown => (Predicate.hasProperty(error, "code") ? error.code : undefined)

/** For people. `ENXIO`: a FIFO without a reader. */
export const reasonOf = (error: unknown): string => (codeOf(error) === "ENXIO" ? NOT_READ : messageOf(error))
