/**
 * Reading the body of a response, by a plain loop over its reader: interruption leaves the loop at once, and the scope
 * that owns the request closes the connection. Every wait for the next piece is bounded.
 *
 * A body without any event is an empty answer; the chat loop judges it like every other answer without an end.
 */
import { Chunk, DateTime, Duration, Effect, Option, Stream } from "effect"
import { classifyFailure, type FailureContext } from "../retry/classify.ts"
import { ModelError } from "../retry/model-error.ts"
import { makeBodyParser, type Parsed } from "./body-parser.ts"
import type { ModelChunk } from "./model-client.ts"

export interface BodyOptions {
  readonly model: string
  /** The longest silence between two pieces of a body. */
  readonly gap: Duration.Duration
}

/** The chunks of a streamed answer, in batches as they arrive. */
export const readChunks = (response: Response, options: BodyOptions): Stream.Stream<ModelChunk, ModelError> =>
  Stream.fromPull(
    Effect.map(DateTime.now, (now) => {
      const nextPiece = pieceReader(response, options)
      const parser = makeBodyParser({ model: options.model, now })
      let failure: ModelError | undefined
      let hasEnded = false

      const take = (piece: string | undefined): Parsed => {
        hasEnded = piece === undefined
        return piece === undefined ? parser.end() : parser.push(piece)
      }

      return Effect.gen(function* () {
        while (true) {
          if (failure !== undefined) return yield* Effect.fail(Option.some(failure))
          if (hasEnded) return yield* Effect.fail(Option.none())
          const parsed = take(yield* Effect.mapError(nextPiece, Option.some))
          failure = parsed.failure
          if (parsed.chunks.length > 0) return Chunk.unsafeFromArray(parsed.chunks)
        }
      })
    })
  )

/** The whole body. */
export const readText = Effect.fnUntraced(function* (response: Response, options: BodyOptions) {
  const nextPiece = pieceReader(response, options)
  const pieces: Array<string> = []
  while (true) {
    const piece = yield* nextPiece
    if (piece === undefined) return pieces.join("")
    pieces.push(piece)
  }
})

const NO_BODY = { done: true, value: undefined }

/** One read of the body; `undefined` at its end. */
const pieceReader = (response: Response, options: BodyOptions): Effect.Effect<string | undefined, ModelError> => {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const context: FailureContext = { phase: "body", model: options.model }
  return Effect.tryPromise({
    try: async () => (await reader?.read()) ?? NO_BODY,
    catch: (cause) => classifyFailure(cause, context)
  }).pipe(
    Effect.timeoutFail({ duration: options.gap, onTimeout: () => silence(options) }),
    Effect.map(({ done, value }) => (done ? undefined : decoder.decode(value, { stream: true })))
  )
}

const silence = ({ gap, model }: BodyOptions): ModelError =>
  new ModelError({
    kind: "timeout",
    detail: `the answer stopped: nothing came for ${Duration.format(gap)}`,
    model,
    phase: "body",
    errorType: "UND_ERR_BODY_TIMEOUT"
  })
