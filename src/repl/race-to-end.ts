/**
 * `Effect.raceFirst` for work that holds something. An interrupted race of Effect tells its contestants to stop, but goes
 * on before they have: what they record at their end would come after the places for it were closed. Here both are over
 * when the race is, however it ends.
 */
import { Effect, Fiber } from "effect"

export const raceToEnd = <A, E, R, A2, E2, R2>(
  work: Effect.Effect<A, E, R>,
  other: Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> =>
  Effect.scopedWith((scope) =>
    Effect.gen(function* () {
      const one = yield* Effect.forkIn(work, scope)
      const two = yield* Effect.forkIn(other, scope)
      return yield* Effect.raceFirst(Fiber.join(one), Fiber.join(two))
    })
  )
