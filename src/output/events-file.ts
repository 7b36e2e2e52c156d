/**
 * `--events`: the events of stream-json beside what is printed, in a file or a descriptor. A file that cannot be opened is
 * told before the run begins; one that fails later makes the run fail at its end, since somebody counts on it.
 */
import { closeSync, constants, fstatSync, openSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Either, Layer, Ref } from "effect"
import { codeOf } from "../system/atomic-write.ts"
import { RunWriter, type WriterOptions } from "./run-writer.ts"
import { Stderr } from "./stderr.ts"
import { layerOverSink, OutputError } from "./stdout.ts"
import * as StreamJsonWriter from "./stream-json-writer.ts"

/** Left: why it cannot be written. */
export const openEvents = (given: string, cwd: string): Either.Either<number, string> => {
  const [, number] = /^fd:(\d+)$/.exec(given) ?? []
  if (number === undefined && /^fd:[^/.]*$/.test(given)) {
    return Either.left(`--events: ${given} names no descriptor: fd:3 does, and ./${given} is a file`)
  }
  if (number === "1")
    return Either.left("--events: descriptor 1 has the answer; -o stream-json prints the events there")
  return Either.try({
    try: () => {
      if (number !== undefined) {
        fstatSync(Number(number))
        return Number(number)
      }
      // A FIFO without a reader is refused at once in place of a wait.
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NONBLOCK ?? 0)
      return openSync(resolve(cwd, given), flags, 0o666)
    },
    catch: (cause) => {
      const code = codeOf(cause)
      if (code === "ENXIO") return `--events: ${given} is a FIFO that nobody reads`
      if (code === "EISDIR") return `--events: ${given} is a folder`
      if (code === "EBADF") return `--events: descriptor ${number} is not open`
      return `--events: ${given} cannot be written (${code})`
    }
  })
}

/** The same writer, with the events beside it. */
export const withEvents = <E, R>(writer: Layer.Layer<RunWriter, E, R>, descriptor: number, options: WriterOptions) =>
  Layer.effect(
    RunWriter,
    Effect.gen(function* () {
      const inner = yield* RunWriter
      const stderr = yield* Stderr
      const { finish, onEvent } = yield* Effect.provide(
        RunWriter,
        StreamJsonWriter.layer(options).pipe(
          Layer.provide(Layer.merge(layerOverSink(descriptor), Layer.succeed(Stderr, silent(stderr))))
        )
      )
      const lost = yield* Ref.make<OutputError | undefined>(undefined)
      const ofEvents = (error: OutputError) => new OutputError({ ...error, place: "the events (--events)" })
      const beside = (write: Effect.Effect<void, OutputError>) =>
        Effect.flatMap(Ref.get(lost), (before) =>
          before === undefined ? Effect.catchAll(write, (error) => Ref.set(lost, ofEvents(error))) : Effect.void
        )
      return RunWriter.of({
        onEvent: (event) => Effect.zipRight(beside(onEvent(event)), inner.onEvent(event)),
        finish: Effect.fnUntraced(function* (outcome) {
          yield* beside(finish(outcome))
          if (descriptor > 2) yield* Effect.sync(() => closeSync(descriptor))
          yield* inner.finish(outcome)
          const error = yield* Ref.get(lost)
          if (error?.kind === "failed") return yield* error
        })
      })
    })
  ).pipe(Layer.provide(writer))

/** What the events have for people stands on standard error already. */
const silent = ({ isTerminal }: Stderr["Type"]) =>
  Stderr.of({
    isTerminal,
    notice: () => Effect.void,
    status: () => Effect.void,
    write: () => Effect.void,
    giveUp: Effect.void
  })
