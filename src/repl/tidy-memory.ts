/**
 * Collects garbage while the person reads. On a machine with much memory the runtime would let that of a conversation
 * pile up for hours. A full collection stops everything for some milliseconds, so not every line is followed by one.
 */
import { Effect, Ref } from "effect"

const LINES_BETWEEN = 5

export const makeTidyMemory = Effect.map(Ref.make(0), (lines) =>
  Effect.flatMap(
    Ref.updateAndGet(lines, (count) => count + 1),
    (count) => (count % LINES_BETWEEN === 0 ? Effect.sync(() => Bun.gc(true)) : Effect.void)
  )
)
