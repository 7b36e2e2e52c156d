/**
 * Reading the body of a response, by a plain loop over its reader: interruption leaves the loop at once, and the scope
 * that owns the request closes the connection. Every wait for the next piece is bounded.
 *
 * A body without any event is an empty answer; the chat loop judges it like every other answer without an end.
 */
import { DateTime, Effect, Either, type Scope } from "effect"
import * as Flow from "../kernel/flow.ts"
import { classifyFailure, type FailureContext, incompleteAnswer } from "../retry/classify.ts"
import { ModelError } from "../retry/model-error.ts"
import type { SilenceBudget, SilenceLimits } from "../retry/silence-budget.ts"
import { silenceGuard } from "../system/http/silence-guard.ts"
import type { Framing } from "./backend.ts"
import { decodeValue, isJson, parseJson } from "./decode-chunk.ts"
import type { ModelChunk } from "./model-client.ts"
import { makeEventSplitter } from "./server-events.ts"
import { FEW, TextBurst } from "./text-burst.ts"

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

/** A failure stands behind the chunks that came before it. */
interface Parsed {
  readonly chunks: ReadonlyArray<ModelChunk>
  readonly failure?: ModelError
}

export interface BodyParser {
  readonly push: (piece: string) => Parsed
  readonly end: () => Parsed
}

const NOTHING: Parsed = { chunks: [] }

interface ParserContext {
  readonly model: string
  readonly now: DateTime.Utc
  /**
   * Takes a chunk out of an envelope, where the service has one; `undefined`: it holds none. Such a record is passed over
   * among events, and so is one that cannot be read.
   */
  readonly unwrapped?: (value: unknown) => unknown
}

/**
 * The body of a streamed answer, parsed as its text arrives. It is one of three things: server-sent events, one JSON
 * document (an error under status 200, or a gateway that does not stream), or something that is no answer at all.
 */
export const makeBodyParser = ({ unwrapped, ...context }: ParserContext): BodyParser => {
  const splitter = makeEventSplitter()
  const atOpening = { ...context, phase: "open" } as const
  const inBody = { ...context, phase: "body" } as const
  let opening = ""
  let form: "unknown" | "events" | "document" = "unknown"
  let hasBegun = false

  const decodeAll = (texts: ReadonlyArray<string>): Parsed => {
    const chunks: Array<ModelChunk> = []
    const burst = texts.length > FEW ? new TextBurst() : undefined
    for (const text of texts) {
      if (isFiller(text)) continue
      const read = parseJson(text)
      const value = unwrapped === undefined || read === undefined ? read : unwrapped(read)
      if (value === undefined && unwrapped !== undefined && form === "events") continue
      if (burst?.takes(value) !== true) {
        chunks.push(...(burst?.end() ?? []))
        const decoded = decodeValue(value, text, hasBegun ? inBody : atOpening)
        if (Either.isLeft(decoded)) return { chunks, failure: decoded.left }
        chunks.push(...decoded.right)
      }
      hasBegun = true
    }
    chunks.push(...(burst?.end() ?? []))
    return { chunks }
  }

  return {
    push: (piece) => {
      if (form === "events") return decodeAll(splitter.push(piece))
      opening += piece
      if (form === "unknown") form = formOf(opening)
      return form === "events" ? decodeAll(splitter.push(opening)) : NOTHING
    },
    end: () => {
      if (form === "unknown" && opening.trim() === "") return NOTHING
      if (form !== "events") return decodeAll([opening])
      const rest = splitter.rest()
      if (rest.trim() === "") return NOTHING
      return isJson(rest)
        ? decodeAll([rest])
        : { chunks: [], failure: incompleteAnswer({ phase: "body", model: context.model }) }
    }
  }
}

/** Some gateways close a stream as another vendor's API does. */
const isFiller = (text: string): boolean => !text.startsWith("{") && (text === "[DONE]" || text.trim() === "")

const FIELDS = ["data:", "event:", "id:", "retry:", ":"]

/** Told by how the body begins: events do so with the name of a field. */
const formOf = (opening: string): "unknown" | "events" | "document" => {
  const head = opening.trimStart()
  if (FIELDS.some((field) => head.startsWith(field))) return "events"
  return FIELDS.some((field) => field.startsWith(head)) ? "unknown" : "document"
}
