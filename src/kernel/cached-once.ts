/**
 * `Effect.cached` remembers whatever its first use came to, and where a person cancels that first use, "interrupted" is
 * what everybody gets from then on. Here the work is finished all the same, and the next one who asks has its result.
 */
import { Effect } from "effect"

/** For short work only: it cannot be interrupted. */
export const cachedOnce = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E, R>> =>
  Effect.cached(Effect.uninterruptible(work))
