/**
 * Runs a body and writes its result, whichever way it ended. The time limit of the run holds for the writing too: whoever
 * does not read holds nothing up.
 */
import { Cause, Duration, Effect, Exit, Fiber, Layer } from "effect"
import { LimitReached } from "../chat/chat-error.ts"
import { lazy } from "../kernel/lazy.ts"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { jsonText } from "../kernel/readable-text.ts"
import { withProgress } from "../output/progress.ts"
import { errorDocument } from "../output/run-summary.ts"
import { failureLine, RunWriter } from "../output/run-writer.ts"
import { Stderr } from "../output/stderr.ts"
import { type OutputError, Stdout } from "../output/stdout.ts"
import { withWaitNotice } from "../output/wait-notice.ts"
import { WRITERS } from "../output/writers.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { OutputFormat } from "../protocol/modes.ts"
import type { RunOutcome } from "../protocol/outcome.ts"
import type { ProcessFacts } from "./facts.ts"
import { failureOf, outcomeOf, type RunError } from "./outcome.ts"
import type { Limit } from "./plan-limits.ts"

export interface Presentation {
  readonly format: OutputFormat
  readonly model: string
  readonly raw: boolean
  /** A status line may move on a terminal. */
  readonly animates: boolean
  /** `--code`. */
  readonly onlyCode?: boolean
  /** `--events`: the descriptor. */
  readonly events?: number | undefined
  /** Of the run; `undefined` where whoever reads may take all the time in the world. */
  readonly maxTime?: Limit<Duration.Duration> | undefined
}

/** A run that was ended from outside still has this long to say so, and afterwards as long to say that nobody read it. */
const LAST_WORDS_MS = 2_000

/** The exit code. */
export const report = (
  facts: ProcessFacts,
  presentation: Presentation,
  body: Effect.Effect<void, RunError, RunWriter | Stderr>
): Effect.Effect<number, never, Stdout | Stderr> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const writer = yield* RunWriter
      const began = yield* monotonicMillis
      const exit = yield* Effect.exit(restore(body))
      if (Exit.isFailure(exit)) yield* Effect.logDebug(Cause.pretty(exit.cause, { renderErrorCause: true }))
      const outcome = outcomeOf(exit, facts.stoppedBy())
      const left = deliveryTime(facts, presentation, (yield* monotonicMillis) - began)
      return yield* writer.finish(outcome).pipe(
        Effect.as(outcome.exitCode),
        Effect.catchTag("OutputError", (error) => undelivered(error, outcome, { ...presentation, ...facts })),
        givenUpAfter(left)
      )
    })
  ).pipe(Effect.provide(writerFor(facts, presentation)))

/** In milliseconds. */
const deliveryTime = ({ stoppedBy }: ProcessFacts, { maxTime }: Presentation, usedMs: number): number => {
  if (stoppedBy() !== undefined) return LAST_WORDS_MS
  return maxTime === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(Duration.toMillis(maxTime.value) - usedMs, LAST_WORDS_MS)
}

const givenUpAfter =
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

const undelivered = Effect.fnUntraced(function* (
  error: OutputError,
  outcome: RunOutcome,
  { format, maxTime, sessionId }: Pick<Presentation, "format" | "maxTime"> & Pick<ProcessFacts, "sessionId">
) {
  const { notice, write } = yield* Stderr
  if (error.kind === "closed") return outcome.exitCode
  if (outcome.failure !== undefined) {
    // In other formats the writer has said there why the run failed; a document stands alone.
    if (format === "stream-json") yield* write(`${failureLine(outcome.failure)}\n`)
    if (format !== "json") yield* notice(`error: ${error.message}`)
    return outcome.exitCode
  }
  if (error.kind === "failed" || maxTime === undefined) {
    yield* notice(`error: ${error.message}`)
    return ExitCode.general
  }
  const { source, value } = maxTime
  const late = failureOf(new LimitReached({ limit: "time", value: Duration.format(value), source }))
  const failure = {
    ...late.failure,
    type: late.failure?.type ?? "Error",
    message: `${late.failure?.message}: ${error.message}`
  }
  const document = { session_id: sessionId, error: errorDocument(failure), completion_reason: late.completionReason }
  yield* write(format === "json" ? `${jsonText(document, 2)}\n` : `${failureLine(failure)}\n`)
  return late.exitCode
})

const writerFor = (facts: ProcessFacts, presentation: Presentation) =>
  Layer.unwrapEffect(
    Effect.map(Stderr, ({ isTerminal }) => {
      const plain = plainWriter(facts, presentation, isTerminal)
      const writer =
        presentation.events === undefined ? plain : withEventsBeside(plain, presentation.events, facts, presentation)
      return presentation.animates && isTerminal && facts.env.TERM !== "dumb"
        ? withProgress(writer, { sharesScreen: facts.stdoutIsTerminal && presentation.format === "text" })
        : withWaitNotice(writer)
    })
  )

const withEventsBeside = (
  writer: ReturnType<typeof plainWriter>,
  descriptor: number,
  { sessionId }: ProcessFacts,
  { model, raw }: Presentation
) =>
  Layer.unwrapEffect(
    Effect.map(
      lazy(() => import("../output/events-file.ts")),
      ({ withEvents }) => withEvents(writer, descriptor, { sessionId, model, raw })
    )
  )

const codeWriter = Layer.unwrapEffect(
  Effect.map(
    lazy(() => import("../output/code-writer.ts")),
    ({ layer }) => layer
  )
)

const plainWriter = (
  facts: ProcessFacts,
  { format, model, onlyCode, raw }: Presentation,
  stderrIsTerminal: boolean
): ReturnType<(typeof WRITERS)[OutputFormat]> => {
  if (onlyCode === true) return codeWriter
  return WRITERS[format]({
    sessionId: facts.sessionId,
    model,
    raw,
    sharesScreen: facts.stdoutIsTerminal && stderrIsTerminal
  })
}
