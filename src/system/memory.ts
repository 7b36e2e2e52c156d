/**
 * Collects garbage while nobody waits. On a machine with much memory the runtime would let that of a conversation pile up
 * for hours. A full collection stops everything for some milliseconds, so not every occasion is taken.
 */
import { type Duration, Effect, Ref } from "effect"

/** To be run at every occasion; every so many of them are taken. */
export const makeTidyMemory = (every: number): Effect.Effect<Effect.Effect<void>> =>
  Effect.map(Ref.make(0), (occasions) =>
    Effect.flatMap(
      Ref.updateAndGet(occasions, (count) => count + 1),
      (count) => (count % every === 0 ? Effect.sync(() => Bun.gc(true)) : Effect.void)
    )
  )

export interface IdleTidying {
  /** Garbage is collected when nothing more happens for a moment. */
  readonly whenIdle: Effect.Effect<void>
  /** Something happens: a collection that was to come is not. */
  readonly postpone: Effect.Effect<void>
}

export const makeIdleTidying = Effect.fnUntraced(function* (after: Duration.DurationInput) {
  const collect = yield* makeTidyMemory(1)
  const count = yield* Ref.make(0)
  const next = Ref.updateAndGet(count, (before) => before + 1)
  return {
    postpone: Effect.asVoid(next),
    whenIdle: Effect.gen(function* () {
      const own = yield* next
      const isLast = Effect.map(Ref.get(count), (now) => now === own)
      // Whoever gave the occasion may be gone by then, and with it what is to be collected.
      yield* Effect.forkDaemon(Effect.delay(Effect.whenEffect(collect, isLast), after))
    })
  } satisfies IdleTidying as IdleTidying
})
