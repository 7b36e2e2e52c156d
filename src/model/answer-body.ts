/**
 * Reading the body of a response, by a plain loop over its reader: interruption leaves the loop at once, and the scope
 * that owns the request closes the connection. Every wait for the next piece is bounded.
 *
 * A body without any event is an empty answer; the chat loop judges it like every other answer without an end.
 */
import { DateTime, Effect, type Scope } from "effect"
import * as Flow from "../kernel/flow.ts"
import { classifyFailure, type FailureContext } from "../retry/classify.ts"
import { ModelError } from "../retry/model-error.ts"
import type { SilenceBudget, SilenceLimits } from "../retry/silence-budget.ts"
import { silenceGuard } from "../system/http/silence-guard.ts"
import type { Framing } from "./backend.ts"
import type { Parsed } from "./body-parser.ts"
import type { ModelChunk } from "./model-client.ts"

/** What is left of the patience with an answer. */
export interface BodySilence {
  readonly budget: SilenceBudget
  readonly limits: SilenceLimits
}

export interface BodyOptions {
  readonly model: string
  readonly silence: BodySilence
  /** No answer of a model is nearly as large as the bound that holds where nothing is said. */
  readonly maxBytes?: number
}

const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/** The chunks of a streamed answer, in batches as they arrive. */
export const readChunks = (
  response: Response,
  options: BodyOptions & { readonly framing: Framing }
): Flow.Flow<ModelChunk, ModelError> =>
  Flow.fromPull(
    Effect.gen(function* () {
      const nextPiece = yield* pieceReader(response, options)
      const parser = options.framing.parser({ model: options.model, now: yield* DateTime.now })
      let failure: ModelError | undefined
      let hasEnded = false

      const take = (piece: string | undefined): Parsed => {
        hasEnded = piece === undefined
        return piece === undefined ? parser.end() : parser.push(piece)
      }

      return Effect.gen(function* () {
        while (true) {
          if (failure !== undefined) return yield* failure
          if (hasEnded) return undefined
          const parsed = take(yield* nextPiece)
          failure = parsed.failure
          if (parsed.chunks.length === 0) continue
          options.silence.budget.heard()
          return parsed.chunks
        }
      })
    })
  )

/** The whole body. */
export const readText = Effect.fnUntraced(function* (response: Response, options: BodyOptions) {
  const nextPiece = yield* pieceReader(response, options)
  const pieces: Array<string> = []
  while (true) {
    const piece = yield* nextPiece
    if (piece === undefined) return pieces.join("")
    pieces.push(piece)
  }
}, Effect.scoped)

/** One read of the body; `undefined` at its end. */
const pieceReader = Effect.fnUntraced(function* (
  response: Response,
  options: BodyOptions
): Effect.fn.Return<Effect.Effect<string | undefined, ModelError>, never, Scope.Scope> {
  const { body } = response
  if (body === null) return Effect.succeed(undefined)
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const context: FailureContext = { phase: "body", model: options.model }
  const { budget, limits } = options.silence
  const bounded = yield* silenceGuard({
    leftMs: () => budget.left(limits),
    waited: (milliseconds) => budget.waited(milliseconds),
    onSilence: () => tooSilent(options, "body")
  })
  const read = bounded<Awaited<ReturnType<typeof reader.read>>>((end) =>
    reader.read().then(
      (result) => end(Effect.succeed(result)),
      (cause) => end(Effect.fail(classifyFailure(cause, context)))
    )
  )
  const { maxBytes = MAX_ANSWER_BYTES } = options
  let total = 0
  return Effect.flatMap(read, ({ done, value }) => {
    if (done) return Effect.succeed(undefined)
    total += value.length
    return total > maxBytes ? tooLarge(options) : Effect.succeed(decoder.decode(value, { stream: true }))
  })
})

const tooLarge = ({ model }: BodyOptions): ModelError =>
  new ModelError({
    kind: "bad-response",
    detail: "the answer is too large to be taken",
    model,
    phase: "body",
    errorType: "ANSWER_TOO_LARGE"
  })

/** Nobody waits any longer, in this attempt or in another. */
export const tooSilent = ({ model, silence }: BodyOptions, phase: ModelError["phase"]): ModelError =>
  new ModelError({
    kind: "silent",
    detail: silence.budget.describe(silence.limits),
    model,
    phase,
    errorType: phase === "body" ? "UND_ERR_BODY_TIMEOUT" : "UND_ERR_HEADERS_TIMEOUT"
  })
