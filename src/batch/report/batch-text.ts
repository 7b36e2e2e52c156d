/**
 * A batch in words: the live line, the lines of a log, the summary at the end, and who shows them while it goes on.
 */

import { Effect, Fiber, Schedule, type Scope } from "effect"
import { elapsedText } from "../../kernel/status-text.ts"
import type { BatchTotals } from "../run/batch-state.ts"
import type { BatchEvents } from "./batch-events.ts"

export interface BatchProgress {
  readonly total: number
  /** With those of earlier runs. */
  readonly done: number
  readonly failed: number
  /** Done in this run. */
  readonly doneNow: number
  readonly active: number
  readonly costUsd: number
  readonly elapsedMs: number
  /** What everybody waits for, and how long still. */
  readonly waiting: { readonly reason: string; readonly leftMs: number } | undefined
  /** Where jobs of the batch service answer. */
  readonly jobs?: { readonly jobs: string; readonly estimateUsd: number; readonly trouble: string | undefined }
}

/** Below that a rate says nothing. */
const FEW = 3

export const progressLine = (progress: BatchProgress): string => {
  const { active, costUsd, done, doneNow, elapsedMs, failed, total, waiting } = progress
  const perSecond = elapsedMs === 0 ? 0 : doneNow / (elapsedMs / 1000)
  const left = total - done
  if (progress.jobs !== undefined) return jobsLine(progress, progress.jobs)
  return [
    `${grouped(done)}/${grouped(total)}`,
    `${total === 0 ? 100 : Math.floor((100 * done) / total)}%`,
    ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
    rateText(perSecond),
    `$${moneyText(costUsd)}`,
    ...(doneNow < FEW || left === 0 ? [] : [`${elapsedText((left / perSecond) * 1000)} left`]),
    waiting === undefined
      ? `${active} under way`
      : `waiting ${elapsedText(waiting.leftMs)}: ${waiting.reason.slice(0, REASON_LENGTH)}`
  ].join(" · ")
}

const jobsLine = (
  { costUsd, done, elapsedMs, failed, total }: BatchProgress,
  { estimateUsd, jobs, trouble }: NonNullable<BatchProgress["jobs"]>
): string =>
  [
    `${grouped(done)}/${grouped(total)}`,
    ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
    jobs === "" ? "making jobs" : jobs,
    elapsedText(elapsedMs),
    `$${moneyText(costUsd)}${estimateUsd === 0 ? "" : `, about $${moneyText(costUsd + estimateUsd)} in all`}`,
    ...(trouble === undefined ? [] : [`waiting: ${trouble.slice(0, REASON_LENGTH)}`])
  ].join(" · ")

const REASON_LENGTH = 60

const rateText = (perSecond: number): string => {
  if (perSecond >= 10) return `${Math.round(perSecond)}/s`
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(perSecond * 60 >= 10 ? 0 : 1)}/min`
}

export interface BatchEnding {
  readonly output: string
  readonly total: number
  readonly totals: BatchTotals
  /** How many of them were done in this run. */
  readonly doneNow: number
  readonly elapsedMs: number
  /** Why it ended before all was done, and what to do. */
  readonly early: { readonly why: string; readonly hint: string } | undefined
}

export const summaryText = ({ doneNow, early, elapsedMs, output, total, totals }: BatchEnding): string => {
  const { by_error, cost_usd, failed, items, succeeded, tokens } = totals.document()
  const causes = Object.entries(by_error).map(([cause, count]) => `${cause} ${grouped(count)}`)
  const before = items - doneNow
  const when =
    before === 0
      ? `in ${elapsedText(elapsedMs)}`
      : doneNow === 0
        ? "before, none now"
        : `, ${grouped(before)} before and ${grouped(doneNow)} now in ${elapsedText(elapsedMs)}`
  return [
    `${grouped(items)} of ${grouped(total)} items done${when.startsWith(",") ? "" : " "}${when}: ${grouped(succeeded)} succeeded, ${grouped(failed)} failed${causes.length === 0 ? "" : ` (${causes.join(", ")})`}`,
    `${grouped(tokens)} tokens, $${moneyText(cost_usd)}${before === 0 ? "" : " in all"}${totals.unpriced === 0 ? "" : `, without ${grouped(totals.unpriced)} items whose price is not known`}`,
    ...(early === undefined ? [] : [`[WARNING] ${early.why}`, `${early.hint} [gemini help batch-stopped]`]),
    ...(failed > 0 && output !== "-" ? ["Failed items are asked again with the same command and --retry-errors."] : [])
  ]
    .map((line) => `${line}\n`)
    .join("")
}

export const grouped = (value: number): string => value.toLocaleString("en-US")
export const moneyText = (value: number): string => value.toFixed(value < 1 ? 4 : 2)

interface ProgressInput {
  readonly progress: Effect.Effect<BatchProgress>
  readonly say: (text: string) => Effect.Effect<void>
  readonly status: ((line: string) => Effect.Effect<void>) | undefined
  readonly isQuiet: boolean
  readonly events: BatchEvents
}

const LIVE_EVERY = "250 millis"

const LOG_EVERY = "30 seconds"

const EVENT_EVERY = "5 seconds"

/** Shows how a batch goes on: one live line on a terminal, a line now and then in a log, an event for machines. */
export const startProgress = (
  input: ProgressInput
): Effect.Effect<{ readonly stop: Effect.Effect<void> }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { events, isQuiet, progress, say, status } = input
    const told = Effect.flatMap(progress, (now) => events.progress({ ...now }))
    const live = status === undefined ? undefined : Effect.flatMap(progress, (now) => status(progressLine(now)))
    const logged = Effect.flatMap(progress, (now) => say(`${progressLine(now)}\n`))
    const shown = isQuiet
      ? Effect.void
      : live === undefined
        ? Effect.repeat(Effect.delay(logged, LOG_EVERY), Schedule.forever)
        : Effect.repeat(live, Schedule.spaced(LIVE_EVERY))
    const fiber = yield* Effect.forkScoped(
      Effect.all([shown, Effect.repeat(Effect.delay(told, EVENT_EVERY), Schedule.forever)], {
        concurrency: 2,
        discard: true
      })
    )
    const wipe = isQuiet || status === undefined ? Effect.void : status("")
    return { stop: Effect.zipRight(Fiber.interrupt(fiber), wipe) }
  })
