/** Shows how a batch goes on: one live line on a terminal, a line now and then in a log, an event for machines. */
import { Effect, Fiber, Schedule, type Scope } from "effect"
import type { BatchEvents } from "./batch-events.ts"
import { type BatchProgress, progressLine } from "./batch-text.ts"

export interface ProgressInput {
  readonly progress: Effect.Effect<BatchProgress>
  readonly say: (text: string) => Effect.Effect<void>
  readonly status: ((line: string) => Effect.Effect<void>) | undefined
  readonly isQuiet: boolean
  readonly events: BatchEvents
}

const LIVE_EVERY = "250 millis"
const LOG_EVERY = "30 seconds"
const EVENT_EVERY = "5 seconds"

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
