/**
 * When a model request that failed is sent again, as one schedule: doubling waits with a ceiling, jitter, a number of
 * attempts. A wait that the server asks for is a floor and is only ever made longer. The run's time budget stands
 * above it all: a wait that does not fit is not begun, and the failure says so.
 */
import { Duration, Effect, Option, Random, Schedule } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { ModelError } from "./model-error.ts"
import { neverConnected } from "./network-error.ts"
import { attemptsOf, LONGEST_WAIT, type RetryOptions } from "./retry-limits.ts"
import { choose, told, withDelay } from "./schedules.ts"

const INITIAL_DELAY = Duration.seconds(5)
const MAX_DELAY = Duration.seconds(30)
const JITTER = 0.3
const SERVER_DELAY_JITTER = 0.2

export interface RetryWait {
  readonly error: ModelError
  /** The attempt that failed, counted from 1. */
  readonly attempt: number
  readonly maxAttempts: number
  readonly delayMs: number
}

/** Every wait is told before it begins. */
export const untilAnswered = <A, R>(
  call: Effect.Effect<A, ModelError, R>,
  options: RetryOptions,
  tell: (wait: RetryWait) => Effect.Effect<unknown>
): Effect.Effect<A, ModelError, R> =>
  Effect.retryOrElse(
    call,
    told(requestAgain(options), (wait) => Effect.zipRight(counted(wait, options), tell(wait))),
    (error, wait) => Effect.flatMap(timeLeft(options), (left) => (isEnough(wait, left) ? error : tooLate(wait, left)))
  )

const counted = ({ delayMs, error }: RetryWait, { silence }: RetryOptions) =>
  Effect.sync(() => {
    if (error.kind === "timeout" || isUnreached(error)) silence?.waited(delayMs)
  })

/** Waits that fit into the time that is left. */
const requestAgain = (options: RetryOptions): Schedule.Schedule<RetryWait, ModelError> => {
  const isAsked = (error: ModelError) => options.asksAboutCapacity === true && error.kind === "capacity"
  const usual = choose(backOff(options), reachAgain(options), isUnreached)
  return choose(usual, Schedule.forever, isAsked).pipe(
    Schedule.zipRight(Schedule.intersect(Schedule.identity<ModelError>(), Schedule.forever)),
    Schedule.modifyDelay(([error, before], delay) => (isAsked(error) ? capacityWait(error, before) : delay)),
    Schedule.whileOutput(([error, before]) => !isAsked(error) || before < CAPACITY_WAITS.length),
    withDelay,
    Schedule.map(([[error, before], delay]): RetryWait => {
      const maxAttempts = isAsked(error) ? CAPACITY_WAITS.length + 1 : attemptsFor(error, options)
      return { error, attempt: before + 1, maxAttempts, delayMs: Duration.toMillis(delay) }
    }),
    Schedule.whileOutputEffect((wait) => Effect.map(timeLeft(options), (left) => isEnough(wait, left)))
  )
}

const backOff = (options: RetryOptions) =>
  Schedule.exponential(INITIAL_DELAY, 2).pipe(
    Schedule.modifyDelay((_, delay) => Duration.min(delay, MAX_DELAY)),
    Schedule.intersect(Schedule.recurs(attemptsOf(options) - 1)),
    Schedule.zipRight(Schedule.identity<ModelError>()),
    Schedule.modifyDelayEffect((error, delay) => withJitter(delay, error.retryAfter)),
    Schedule.whileInput((error: ModelError) => isWorthAnother(error, options))
  )

/** Who is not there is not there a minute later either, or the person sees to it. */
const reachAgain = (options: RetryOptions) =>
  Schedule.fromDelays(...REACH_WAITS).pipe(
    Schedule.intersect(Schedule.recurs(attemptsOf(options) - 1)),
    Schedule.zipRight(Schedule.identity<ModelError>()),
    Schedule.modifyDelayEffect((_, delay) => withJitter(delay, undefined)),
    Schedule.whileInput(() => (options.silence?.totalMs ?? 0) + REACH_LONGEST_WAIT_MS <= REACHED_WITHIN_MS)
  )

const REACH_WAITS = [Duration.seconds(1), Duration.seconds(3)] as const
const REACH_LONGEST_WAIT_MS = 4_000
/** With all attempts. */
const REACHED_WITHIN_MS = 8_000

const isUnreached = ({ errorType, kind, phase }: ModelError): boolean =>
  kind === "network" && phase === "open" && neverConnected(errorType)

const attemptsFor = (error: ModelError, options: RetryOptions): number =>
  isUnreached(error) ? Math.min(attemptsOf(options), REACH_WAITS.length + 1) : attemptsOf(options)

const withJitter = (delay: Duration.Duration, asked: Duration.Duration | undefined) =>
  Effect.map(Random.next, (draw) =>
    asked === undefined
      ? wholeMillis(Duration.times(delay, 1 - JITTER + 2 * JITTER * draw))
      : wholeMillis(Duration.times(Duration.max(delay, asked), 1 + SERVER_DELAY_JITTER * draw))
  )

const wholeMillis = (delay: Duration.Duration) => Duration.millis(Math.round(Duration.toMillis(delay)))

/** Before a person is asked about a shortage of capacity. */
const CAPACITY_WAITS = [Duration.seconds(1), Duration.seconds(3)]

const capacityWait = (error: ModelError, before: number): Duration.Duration =>
  error.retryAfter ?? CAPACITY_WAITS[before] ?? Duration.zero

const UNCODED_FAILURES = new Set(["FETCH_FAILED", "INCOMPLETE_JSON"])

const isWorthAnother = (error: ModelError, options: RetryOptions): boolean => {
  if (!error.isRetryable) return false
  if (error.retryAfter !== undefined && Duration.greaterThan(error.retryAfter, LONGEST_WAIT)) return false
  return options.retryFetchErrors !== false || !UNCODED_FAILURES.has(error.errorType)
}

/** In milliseconds; for ever where the run has no limit. */
const timeLeft = Effect.fnUntraced(function* ({ deadline }: RetryOptions) {
  const end = deadline === undefined ? Option.none<number>() : yield* deadline
  return Option.isNone(end) ? Number.POSITIVE_INFINITY : end.value - (yield* monotonicMillis)
})

const isEnough = ({ delayMs }: RetryWait, left: number): boolean => delayMs <= left

const tooLate = ({ delayMs, error }: RetryWait, left: number): ModelError => {
  const rest = Duration.format(Duration.millis(Math.max(0, Math.round(left / 1000) * 1000)))
  const needed = Duration.format(Duration.seconds(Math.ceil(delayMs / 1000)))
  const who = error.retryAfter === undefined ? "the next attempt is due in" : "the server asks to wait"
  return new ModelError({
    ...error,
    detail: `${error.detail}; ${who} ${needed}, but only ${rest} of the run's time is left`
  })
}
