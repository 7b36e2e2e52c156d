/**
 * When a model request that failed is sent again, as one schedule: doubling waits with a ceiling, jitter, a number of
 * attempts. A wait that the server asks for is a floor and is only ever made longer. The run's time budget stands
 * above it all: a wait that does not fit is not begun, and the failure says so.
 */
import { Clock, Duration, Effect, Option, Random, Ref, Schedule, ScheduleDecision, ScheduleIntervals } from "effect"
import { ModelError } from "./model-error.ts"
import { attemptsOf, LONGEST_WAIT, type RetryOptions } from "./retry-limits.ts"

const INITIAL_DELAY = Duration.seconds(5)
const MAX_DELAY = Duration.seconds(30)
const JITTER = 0.3
const SERVER_DELAY_JITTER = 0.2

/** Yields the error that it waits for. */
export const retrySchedule = (options: RetryOptions): Schedule.Schedule<ModelError, ModelError> =>
  Schedule.exponential(INITIAL_DELAY, 2).pipe(
    Schedule.modifyDelay((_, delay) => Duration.min(delay, MAX_DELAY)),
    Schedule.intersect(Schedule.recurs(attemptsOf(options) - 1)),
    Schedule.zipRight(Schedule.identity<ModelError>()),
    Schedule.modifyDelayEffect((error, delay) => withJitter(delay, error.retryAfter)),
    Schedule.whileInput((error: ModelError) => isWorthAnother(error, options))
  )

const withJitter = (delay: Duration.Duration, asked: Duration.Duration | undefined) =>
  Effect.map(Random.next, (draw) =>
    asked === undefined
      ? Duration.times(delay, 1 - JITTER + 2 * JITTER * draw)
      : Duration.times(Duration.max(delay, asked), 1 + SERVER_DELAY_JITTER * draw)
  )

/** Before a person is asked about a shortage of capacity. */
const CAPACITY_WAITS = [Duration.seconds(1), Duration.seconds(3)]

/** None: the person is asked now, or the schedule decides. */
const capacityWait = (error: ModelError, attempt: number): Option.Option<number> =>
  Option.map(Option.fromNullable(CAPACITY_WAITS[attempt - 1]), (wait) => Duration.toMillis(error.retryAfter ?? wait))

const UNCODED_FAILURES = new Set(["FETCH_FAILED", "INCOMPLETE_JSON"])

const isWorthAnother = (error: ModelError, options: RetryOptions): boolean => {
  if (!error.isRetryable) return false
  if (error.retryAfter !== undefined && Duration.greaterThan(error.retryAfter, LONGEST_WAIT)) return false
  return options.retryFetchErrors !== false || !UNCODED_FAILURES.has(error.errorType)
}

export interface RetryWait {
  readonly error: ModelError
  /** The attempt that failed, counted from 1. */
  readonly attempt: number
  readonly maxAttempts: number
  readonly delayMs: number
}

/**
 * The state of one request: for each failure either the wait before the next attempt, or the error to give up with.
 * The caller does the waiting, so that it can announce it first.
 */
export const makeRetrier = (options: RetryOptions) =>
  Effect.gen(function* () {
    const schedule = retrySchedule(options)
    const state = yield* Ref.make<{ readonly schedule: unknown; readonly attempt: number }>({
      schedule: schedule.initial,
      attempt: 1
    })
    return Effect.fnUntraced(function* (error: ModelError): Effect.fn.Return<RetryWait, ModelError> {
      const now = yield* Clock.currentTimeMillis
      const { attempt, schedule: before } = yield* Ref.get(state)
      if (options.asksAboutCapacity === true && error.kind === "capacity") {
        const delayMs = yield* Effect.mapError(capacityWait(error, attempt), () => error)
        yield* failIfTooLate({ error, now, delayMs }, options)
        yield* Ref.set(state, { schedule: before, attempt: attempt + 1 })
        return { error, attempt, maxAttempts: CAPACITY_WAITS.length + 1, delayMs }
      }
      const [after, , decision] = yield* schedule.step(now, error, before)
      if (ScheduleDecision.isDone(decision)) return yield* error
      const delayMs = Math.max(0, Math.round(ScheduleIntervals.start(decision.intervals) - now))
      yield* failIfTooLate({ error, now, delayMs }, options)
      yield* Ref.set(state, { schedule: after, attempt: attempt + 1 })
      return { error, attempt, maxAttempts: attemptsOf(options), delayMs }
    })
  })

const failIfTooLate = Effect.fnUntraced(function* (
  wait: { readonly error: ModelError; readonly now: number; readonly delayMs: number },
  options: RetryOptions
) {
  const deadline = options.deadline === undefined ? Option.none<number>() : yield* options.deadline
  if (Option.isNone(deadline) || wait.now + wait.delayMs <= deadline.value) return
  const left = Duration.format(Duration.millis(Math.max(0, Math.round((deadline.value - wait.now) / 1000) * 1000)))
  const needed = Duration.format(Duration.seconds(Math.ceil(wait.delayMs / 1000)))
  const who = wait.error.retryAfter === undefined ? "the next attempt is due in" : "the server asks to wait"
  return yield* new ModelError({
    ...wait.error,
    detail: `${wait.error.detail}; ${who} ${needed}, but only ${left} of the run's time is left`
  })
})
