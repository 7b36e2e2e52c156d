/**
 * How the result of a run reaches whoever reads it: the writer of each format, what stands beside it, and how long it
 * may take where somebody does not read.
 */
import { Effect, Fiber, Layer } from "effect"
import { lazy } from "../kernel/lazy.ts"
import type { SessionId } from "../protocol/ids.ts"
import type { ExtraEvent, OutputFormat } from "../protocol/modes.ts"
import * as JsonWriter from "./json-writer.ts"
import { withProgress } from "./progress.ts"
import type { RunWriter, WriterOptions } from "./run-writer.ts"
import { Stderr } from "./stderr.ts"
import { Stdout } from "./stdout.ts"
import * as StreamJsonWriter from "./stream-json-writer.ts"
import * as TextWriter from "./text-writer.ts"
import { withWaitNotice } from "./wait-notice.ts"

/** A run that was ended from outside still has this long to say so, and afterwards as long to say that nobody read it. */
export const LAST_WORDS_MS = 2_000

/** `Infinity`: whoever reads may take all the time in the world. */
export const givenUpAfter =
  (leftMs: number) =>
  <A, R>(writing: Effect.Effect<A, never, R>): Effect.Effect<A, never, R | Stdout | Stderr> =>
    leftMs === Number.POSITIVE_INFINITY
      ? writing
      : Effect.gen(function* () {
          const { giveUp } = yield* Stdout
          const stderr = yield* Stderr
          const watch = Effect.sleep(leftMs).pipe(
            Effect.zipRight(giveUp),
            Effect.zipRight(Effect.sleep(LAST_WORDS_MS)),
            Effect.zipRight(stderr.giveUp)
          )
          const watching = yield* Effect.fork(Effect.interruptible(watch))
          return yield* Effect.ensuring(writing, Fiber.interruptFork(watching))
        })

export interface Presentation {
  readonly format: OutputFormat
  readonly model: string
  readonly raw: boolean
  readonly extraEvents: ReadonlyArray<ExtraEvent>
  /** `--verbose`, where standard output holds no events. */
  readonly tellsSteps: boolean
  /** A status line may move on a terminal. */
  readonly animates: boolean
  /** `--code`. */
  readonly onlyCode?: boolean
  /** `--events`: the descriptor. */
  readonly events?: number | undefined
}

interface Surroundings {
  readonly sessionId: SessionId
  readonly stdoutIsTerminal: boolean
  readonly env: { readonly TERM?: string | undefined }
}

export const writerFor = (facts: Surroundings, presentation: Presentation) =>
  Layer.unwrapEffect(
    Effect.map(Stderr, ({ isTerminal }) => {
      const plain = plainWriter(facts, presentation, isTerminal)
      const beside =
        presentation.events === undefined ? plain : withEventsBeside(plain, presentation.events, facts, presentation)
      const writer = presentation.tellsSteps ? withStepsTold(beside) : beside
      return presentation.animates && isTerminal && facts.env.TERM !== "dumb"
        ? withProgress(writer, { sharesScreen: facts.stdoutIsTerminal && presentation.format === "text" })
        : withWaitNotice(writer)
    })
  )

const withEventsBeside = (
  writer: ReturnType<typeof plainWriter>,
  descriptor: number,
  { sessionId }: Surroundings,
  { extraEvents, model, raw }: Presentation
) =>
  Layer.unwrapEffect(
    Effect.map(
      lazy(() => import("./events-file.ts")),
      ({ withEvents }) => withEvents(writer, descriptor, { sessionId, model, extraEvents, raw })
    )
  )

const withStepsTold = <E, R>(writer: Layer.Layer<RunWriter, E, R>) =>
  Layer.unwrapEffect(
    Effect.map(
      lazy(() => import("./told-steps.ts")),
      ({ withToldSteps }) => withToldSteps(writer)
    )
  )

const codeWriter = Layer.unwrapEffect(
  Effect.map(
    lazy(() => import("./code-writer.ts")),
    ({ layer }) => layer
  )
)

const plainWriter = (
  facts: Surroundings,
  { extraEvents, format, model, onlyCode, raw }: Presentation,
  stderrIsTerminal: boolean
): ReturnType<(typeof WRITERS)[OutputFormat]> => {
  if (onlyCode === true) return codeWriter
  return WRITERS[format]({
    sessionId: facts.sessionId,
    model,
    extraEvents,
    raw,
    sharesScreen: facts.stdoutIsTerminal && stderrIsTerminal
  })
}

type WriterLayer = (
  options: WriterOptions & JsonWriter.JsonWriterOptions
) => Layer.Layer<RunWriter, never, Stdout | Stderr>

/** The writer of each output format. A new format is a row here and a name in `OutputFormat`. */
const WRITERS: Readonly<Record<OutputFormat, WriterLayer>> = {
  text: TextWriter.layer,
  json: JsonWriter.layer,
  "stream-json": StreamJsonWriter.layer
}
