/**
 * `Effect.cached` remembers whatever its first use came to, and where a person cancels that first use, "interrupted" is
 * what everybody gets from then on. Here the work is finished all the same, and the next one who asks has its result.
 */
import { Deferred, Effect, Ref } from "effect"

/** For short work only: it cannot be interrupted. Waiting for what another one began can. */
export const cachedOnce = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E, R>> =>
  Effect.map(Effect.all([Deferred.make<A, E>(), Ref.make(false)]), ([result, isBegun]) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Ref.getAndSet(isBegun, true), (isWaiting) =>
        isWaiting
          ? restore(Deferred.await(result))
          : Effect.zipRight(Effect.intoDeferred(work, result), Deferred.await(result))
      )
    )
  )
