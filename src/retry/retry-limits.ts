/** How often and how long a request may be tried. Known before anything fails; the schedule itself is loaded with the first failure. */
import { Duration, type Effect, type Option } from "effect"
import type { SilenceBudget } from "./silence-budget.ts"

const MAX_ATTEMPTS = 10

/** A server that asks for more than this is not waited for. */
export const LONGEST_WAIT = Duration.seconds(300)

export interface RetryOptions {
  /** Attempts in all, the first one included; at most 10, which is also the default. */
  readonly maxAttempts?: number | undefined
  /** `false`: failures of the connection that carry no known code are not retried. */
  readonly retryFetchErrors?: boolean | undefined
  /** A person decides about a shortage of capacity that lasts: only two short waits come before that. */
  readonly asksAboutCapacity?: boolean | undefined
  /** Pauses after a silence count as silence. */
  readonly silence?: SilenceBudget | undefined
  /** When the run's time is up, in milliseconds of the clock; asked at each failure. */
  readonly deadline?: Effect.Effect<Option.Option<number>> | undefined
}

export const attemptsOf = (options: RetryOptions): number =>
  Math.min(MAX_ATTEMPTS, Math.max(1, Math.floor(options.maxAttempts ?? MAX_ATTEMPTS)))
