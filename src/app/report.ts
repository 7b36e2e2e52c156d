/**
 * The end of everything that the start can come to: one result in the format that was asked for, in bounded time, and an
 * exit code that says whether it arrived.
 */
import { Duration, Effect, Exit } from "effect"
import { LimitReached } from "../chat/chat-error.ts"
import { sniffOutputFormat } from "../cli/output-format-sniff.ts"
import { UsageError } from "../cli/usage-error.ts"
import { causeChain } from "../kernel/cause-chain.ts"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { jsonText } from "../kernel/readable-text.ts"
import { givenUpAfter, LAST_WORDS_MS, type Presentation, writerFor } from "../output/delivery.ts"
import { errorDocument } from "../output/run-summary.ts"
import { failureLine, RunWriter } from "../output/run-writer.ts"
import { Stderr } from "../output/stderr.ts"
import { type OutputError, Stdout } from "../output/stdout.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { RunFailure, RunOutcome } from "../protocol/outcome.ts"
import type { ProcessFacts } from "./facts.ts"
import { failureOf, outcomeOf, type RunError } from "./outcome.ts"
import type { Limit } from "./plan-limits.ts"

/** Runs the body and writes its result, whichever way it ended. Gives the exit code. */
export const report = (
  facts: ProcessFacts,
  presentation: RunPresentation,
  body: Effect.Effect<unknown, RunError, RunWriter | Stderr>
): Effect.Effect<number, never, Stdout | Stderr> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const writer = yield* RunWriter
      const began = yield* monotonicMillis
      const exit = yield* Effect.exit(restore(body))
      if (Exit.isFailure(exit)) yield* Effect.logDebug(causeChain(exit.cause))
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
const deliveryTime = ({ stoppedBy }: ProcessFacts, { maxTime }: RunPresentation, usedMs: number): number => {
  if (stoppedBy() !== undefined) return LAST_WORDS_MS
  return maxTime === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(Duration.toMillis(maxTime.value) - usedMs, LAST_WORDS_MS)
}

const undelivered = Effect.fnUntraced(function* (
  error: OutputError,
  outcome: RunOutcome,
  { format, maxTime, sessionId }: Pick<RunPresentation, "format" | "maxTime"> & Pick<ProcessFacts, "sessionId">
) {
  const { notice, write } = yield* Stderr
  if (error.kind === "closed") return outcome.exitCode
  if (outcome.failure !== undefined) {
    // In other formats the writer has said there why the run failed; a document stands alone.
    if (format === "stream-json") yield* write(`${failureLine(outcome.failure)}\n`)
    if (format !== "json") yield* notice(failureLine(lostAnswer(error)))
    return outcome.exitCode
  }
  if (error.kind === "failed" || maxTime === undefined) {
    yield* notice(failureLine(lostAnswer(error)))
    return ExitCode.general
  }
  const { source, value } = maxTime
  const late = failureOf(new LimitReached({ limit: "time", value: Duration.format(value), source }))
  const failure: RunFailure = {
    ...late.failure,
    type: late.failure?.type ?? "Error",
    help: "limit",
    message: `${late.failure?.message}: ${error.message}`
  }
  const document = { session_id: sessionId, error: errorDocument(failure), completion_reason: late.completionReason }
  yield* write(format === "json" ? `${jsonText(document, 2)}\n` : `${failureLine(failure)}\n`)
  return late.exitCode
})

const lostAnswer = ({ message }: OutputError): RunFailure => ({ type: "Error", message, help: "output-failed" })

export interface RunPresentation extends Presentation {
  /** It holds for the writing too. */
  readonly maxTime?: Limit<Duration.Duration> | undefined
}

/** What can be known of the wishes of a command line that is wrong. */
export const sniffed = ({ argv }: ProcessFacts): RunPresentation => ({
  format: sniffOutputFormat(argv) ?? "text",
  model: "auto",
  extraEvents: [],
  tellsSteps: false,
  raw: false,
  animates: false
})

/** For what is printed as it is: the words of the program about itself, and the results of sub-commands. */
export const print = (text: string) =>
  Effect.gen(function* () {
    const stdout = yield* Stdout
    const stderr = yield* Stderr
    return yield* stdout.write(text).pipe(
      Effect.as<number>(ExitCode.success),
      Effect.catchTag("OutputError", (error) =>
        error.kind === "closed"
          ? Effect.succeed(ExitCode.success)
          : Effect.as(stderr.notice(failureLine(lostAnswer(error))), ExitCode.general)
      )
    )
  })

export const inputError = (message: string) =>
  Effect.fail(new UsageError({ message, hint: "See gemini --help.", exitCode: ExitCode.input }))
