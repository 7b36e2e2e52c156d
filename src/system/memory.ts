/**
 * Collects garbage while nobody waits. On a machine with much memory the runtime would let that of a conversation pile up
 * for hours. A full collection stops everything for some milliseconds, so not every occasion is taken.
 */
import { Effect, Ref } from "effect"

/** To be run at every occasion; every so many of them are taken. */
export const makeTidyMemory = (every: number): Effect.Effect<Effect.Effect<void>> =>
  Effect.map(Ref.make(0), (occasions) =>
    Effect.flatMap(
      Ref.updateAndGet(occasions, (count) => count + 1),
      (count) => (count % every === 0 ? Effect.sync(() => Bun.gc(true)) : Effect.void)
    )
  )
