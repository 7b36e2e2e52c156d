/**
 * Bounds each of many waits that follow one another. One fiber watches the clock for all of them: a race for each, with
 * fibers and a timer of its own, would cost more than reading a long answer does.
 */
import { Effect, type Scope } from "effect"
import { readMonotonicMillis } from "../../kernel/monotonic-time.ts"

/** Waits for the callback, and fails when it is not called in time. One wait at a time. */
export type BoundedWait<E> = <A>(begin: (end: (result: Effect.Effect<A, E>) => void) => void) => Effect.Effect<A, E>

export interface SilenceGuardOptions<E> {
  /** How long the wait that begins may take. */
  readonly leftMs: () => number
  /** How long one took. */
  readonly waited?: (milliseconds: number) => void
  readonly onSilence: () => E
}

/** A later wait may be allowed less than the one before. */
const LOOK_EVERY_MS = 5_000

export const silenceGuard = Effect.fnUntraced(function* <E>({
  leftMs,
  onSilence,
  waited
}: SilenceGuardOptions<E>): Effect.fn.Return<BoundedWait<E>, never, Scope.Scope> {
  const clock = yield* Effect.clock
  let wait: { readonly until: number; readonly giveUp: () => void } | undefined

  // Also where the one who waits cannot be interrupted: the end of the scope would wait for this clock.
  yield* Effect.forkScoped(
    Effect.interruptible(
      Effect.gen(function* () {
        while (true) {
          const left = (wait?.until ?? Number.POSITIVE_INFINITY) - readMonotonicMillis(clock)
          if (left <= 0) return wait?.giveUp()
          yield* Effect.sleep(Math.min(left, LOOK_EVERY_MS))
        }
      })
    )
  )

  return (begin) =>
    Effect.async((resume) => {
      const since = readMonotonicMillis(clock)
      const end: typeof resume = (result) => {
        wait = undefined
        waited?.(readMonotonicMillis(clock) - since)
        resume(result)
      }
      wait = {
        until: since + leftMs(),
        giveUp: () => {
          wait = undefined
          waited?.(readMonotonicMillis(clock) - since)
          resume(Effect.fail(onSilence()))
        }
      }
      begin(end)
    })
})
