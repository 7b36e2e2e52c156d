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

interface IdleTidying {
  /** So many occasions at most are passed over while one follows the other. */
  readonly every: number
  readonly after: Duration.DurationInput
}

/** To be run at every occasion: garbage is collected when no other one follows for a moment. */
export const makeIdleTidying = Effect.fnUntraced(function* ({ after, every }: IdleTidying) {
  const collect = yield* makeTidyMemory(1)
  const tidyMemory = yield* makeTidyMemory(every)
  const occasions = yield* Ref.make(0)
  return Effect.gen(function* () {
    yield* tidyMemory
    const own = yield* Ref.updateAndGet(occasions, (count) => count + 1)
    const isLast = Effect.map(Ref.get(occasions), (count) => count === own)
    // Whoever gave the occasion may be gone by then, and with it what is to be collected.
    yield* Effect.forkDaemon(Effect.delay(Effect.whenEffect(collect, isLast), after))
  })
})
