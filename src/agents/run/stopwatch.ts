/** The time that an agent may take. It stands still while a person is asked: what they take is not the agent's. */
import { Deferred, Duration, Effect, Ref } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"

export interface Stopwatch {
  /** Ends when the time is over. */
  readonly over: Effect.Effect<void>
  /** Does not count this. */
  readonly without: <A, E, R>(waiting: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface State {
  /** Milliseconds that were used up before `since`. */
  readonly used: number
  readonly since: number
  /** Questions that are open; while there are any, no time passes. */
  readonly open: number
  /** Done when none is open any more. */
  readonly resumed: Deferred.Deferred<void>
}

export const makeStopwatch = Effect.fnUntraced(function* (limit: Duration.Duration) {
  const state = yield* Ref.make<State>({
    used: 0,
    since: yield* monotonicMillis,
    open: 0,
    resumed: yield* Deferred.make<void>()
  })

  const pause = Effect.gen(function* () {
    const now = yield* monotonicMillis
    const resumed = yield* Deferred.make<void>()
    yield* Ref.update(state, (before) =>
      before.open > 0
        ? { ...before, open: before.open + 1 }
        : { used: before.used + now - before.since, since: now, open: 1, resumed }
    )
  })
  const resume = Effect.gen(function* () {
    const now = yield* monotonicMillis
    const last = yield* Ref.modify(state, (before) => {
      const open = before.open - 1
      return [open === 0 ? before.resumed : undefined, { ...before, open, since: now }]
    })
    if (last !== undefined) yield* Deferred.succeed(last, undefined)
  })

  const left = Effect.gen(function* () {
    const { open, resumed, since, used } = yield* Ref.get(state)
    if (open > 0) return resumed
    return Duration.toMillis(limit) - used - ((yield* monotonicMillis) - since)
  })

  /** What was slept may have held a pause: then there is more to wait for. */
  const over = Effect.gen(function* () {
    while (true) {
      const rest = yield* left
      if (typeof rest !== "number") yield* Deferred.await(rest)
      else if (rest <= 0) return
      else yield* Effect.sleep(rest)
    }
  })

  const without = <A, E, R>(waiting: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      pause,
      () => waiting,
      () => resume
    )
  const watch: Stopwatch = { over, without }
  return watch
})
