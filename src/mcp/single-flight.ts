/**
 * Work that is asked for faster than it can be done: one at a time, and whatever is asked for meanwhile asks together for
 * one more.
 */
import { Effect, Ref } from "effect"

export const makeSingleFlight = Effect.fnUntraced(function* <K>(work: (key: K) => Effect.Effect<void>) {
  const wanted = yield* Ref.make<ReadonlySet<K>>(new Set())
  const oneAtATime = yield* Effect.makeSemaphore(1)
  const take = (key: K) =>
    Ref.modify(wanted, (keys) => [keys.has(key), new Set([...keys].filter((other) => other !== key))] as const)
  return (key: K): Effect.Effect<void> =>
    Ref.update(wanted, (keys) => new Set([...keys, key])).pipe(
      Effect.zipRight(oneAtATime.withPermits(1)(Effect.whenEffect(work(key), take(key)))),
      Effect.asVoid
    )
})
