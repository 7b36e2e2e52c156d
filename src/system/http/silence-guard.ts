/**
 * Bounds each of many waits that follow one another. One fiber watches the clock for all of them: a race for each, with
 * fibers and a timer of its own, would cost more than reading a long answer does.
 */
import { Duration, Effect, type Scope } from "effect"

/** Waits for the callback, and fails when it is not called in time. One wait at a time. */
export type BoundedWait<E> = <A>(begin: (end: (result: Effect.Effect<A, E>) => void) => void) => Effect.Effect<A, E>

export const silenceGuard = Effect.fnUntraced(function* <E>(options: {
  readonly within: Duration.Duration
  readonly onSilence: () => E
}): Effect.fn.Return<BoundedWait<E>, never, Scope.Scope> {
  const clock = yield* Effect.clock
  const withinMs = Duration.toMillis(options.within)
  let wait: { readonly since: number; readonly giveUp: () => void } | undefined

  // Also where the one who waits cannot be interrupted: the end of the scope would wait for this clock.
  yield* Effect.forkScoped(
    Effect.interruptible(
      Effect.gen(function* () {
        while (true) {
          const now = clock.unsafeCurrentTimeMillis()
          const leftMs = (wait?.since ?? now) + withinMs - now
          if (leftMs <= 0) return wait?.giveUp()
          yield* Effect.sleep(leftMs)
        }
      })
    )
  )

  return (begin) =>
    Effect.async((resume) => {
      const end: typeof resume = (result) => {
        wait = undefined
        resume(result)
      }
      wait = { since: clock.unsafeCurrentTimeMillis(), giveUp: () => end(Effect.fail(options.onSilence())) }
      begin(end)
    })
})
