/** Ctrl-C at an empty prompt: the second one within three seconds ends the program. */
import { Effect, Ref } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"

const WITHIN_MS = 3000

/** True when the person means to leave. */
export const makeInterruptCount: Effect.Effect<Effect.Effect<boolean>> = Effect.map(
  Ref.make(Number.NEGATIVE_INFINITY),
  (last) =>
    Effect.gen(function* () {
      const now = yield* monotonicMillis
      const before = yield* Ref.getAndSet(last, now)
      return now - before <= WITHIN_MS
    })
)
