import { describe, expect } from "bun:test"
import { Clock, Duration, Effect, FastCheck, Option, Random } from "effect"
import { it } from "../../test/kit/it.ts"
import { ModelError } from "./model-error.ts"
import type { RetryOptions } from "./retry-limits.ts"
import { makeRetrier } from "./retry-policy.ts"

const failure = (fields: Partial<ConstructorParameters<typeof ModelError>[0]> = {}) =>
  new ModelError({
    kind: "unavailable",
    detail: "down",
    status: 503,
    phase: "open",
    errorType: "SERVER_ERROR",
    ...fields
  })

/** The waits until the policy gives up, each slept on the test clock. */
const waits = (options: RetryOptions, errors: (attempt: number) => ModelError) =>
  Effect.gen(function* () {
    const retrier = yield* makeRetrier(options)
    const seen: Array<number> = []
    while (true) {
      const wait = yield* Effect.option(retrier(errors(seen.length + 1)))
      if (Option.isNone(wait)) return seen
      expect(wait.value.attempt).toBe(seen.length + 1)
      seen.push(wait.value.delayMs)
    }
  })

const drawing = (draw: number) => Effect.withRandom(Random.fixed([draw]))
const steady = drawing(0.5)
const always = (error: ModelError) => () => error

describe("without a word from the server", () => {
  it.effect("the wait doubles from 5 s to 30 s, for ten attempts", () =>
    Effect.gen(function* () {
      const seen = yield* waits({}, always(failure())).pipe(steady)
      expect(seen).toEqual([5, 10, 20, 30, 30, 30, 30, 30, 30].map((seconds) => seconds * 1000))
    })
  )

  it.effect("jitter reaches 30 % in both directions, also at the ceiling", () =>
    Effect.gen(function* () {
      const low = yield* waits({ maxAttempts: 5 }, always(failure())).pipe(drawing(0))
      const high = yield* waits({ maxAttempts: 5 }, always(failure())).pipe(drawing(1))
      expect(low).toEqual([3500, 7000, 14_000, 21_000])
      expect(high).toEqual([6500, 13_000, 26_000, 39_000])
    })
  )

  const counts: ReadonlyArray<readonly [setting: number | undefined, attempts: number]> = [
    [undefined, 10],
    [3, 3],
    [1, 1],
    [0, 1],
    [-4, 1],
    [50, 10],
    [2.9, 2]
  ]
  for (const [maxAttempts, attempts] of counts) {
    it.effect(`maxAttempts ${maxAttempts} means ${attempts}`, () =>
      Effect.gen(function* () {
        expect((yield* waits({ maxAttempts }, always(failure()))).length).toBe(attempts - 1)
      })
    )
  }
})

describe("a wait that the server asks for", () => {
  const asks = (seconds: number) => failure({ kind: "rate-limited", retryAfter: Duration.seconds(seconds) })

  it.effect("is never undercut, and lengthened by at most 20 %", () =>
    Effect.gen(function* () {
      expect(yield* waits({ maxAttempts: 2 }, always(asks(40))).pipe(drawing(0))).toEqual([40_000])
      expect(yield* waits({ maxAttempts: 2 }, always(asks(40))).pipe(drawing(1))).toEqual([48_000])
    })
  )

  it.effect("does not shorten the wait that is due anyway", () =>
    Effect.gen(function* () {
      expect(yield* waits({ maxAttempts: 4 }, always(asks(1))).pipe(drawing(0))).toEqual([5000, 10_000, 20_000])
    })
  )

  it.effect("is given up on when it is longer than five minutes", () =>
    Effect.gen(function* () {
      expect(yield* waits({}, always(asks(301)))).toEqual([])
      expect((yield* waits({ maxAttempts: 2 }, always(asks(300)))).length).toBe(1)
    })
  )

  it.effect("stays within its bounds for every draw and every attempt", () =>
    Effect.sync(() =>
      FastCheck.assert(
        FastCheck.property(
          FastCheck.integer({ min: 0, max: 300 }),
          FastCheck.double({ min: 0, max: 1, noNaN: true }),
          (seconds, draw) => {
            const seen = Effect.runSync(waits({}, always(asks(seconds))).pipe(drawing(draw)))
            expect(seen.every((wait) => wait >= seconds * 1000 - 1)).toBe(true)
            expect(seen.every((wait) => wait <= Math.max(30, seconds) * 1200 + 1)).toBe(true)
          }
        )
      )
    )
  )
})

describe("what is not retried", () => {
  for (const kind of ["auth", "not-found", "bad-request", "quota", "unreachable", "bad-response", "replay"] as const) {
    it.effect(kind, () =>
      Effect.gen(function* () {
        expect(yield* waits({}, always(failure({ kind })))).toEqual([])
      })
    )
  }

  it.effect("failures without a known code, when the setting says so", () =>
    Effect.gen(function* () {
      for (const errorType of ["FETCH_FAILED", "INCOMPLETE_JSON"]) {
        const error = failure({ kind: "network", errorType })
        expect((yield* waits({ retryFetchErrors: false }, always(error))).length).toBe(0)
        expect((yield* waits({ retryFetchErrors: true }, always(error))).length).toBe(9)
      }
      const reset = failure({ kind: "network", errorType: "ECONNRESET" })
      expect((yield* waits({ retryFetchErrors: false }, always(reset))).length).toBe(9)
    })
  )
})

describe("the run's time budget", () => {
  const inSeconds = (seconds: number) => Effect.map(Clock.currentTimeMillis, (now) => Option.some(now + seconds * 1000))

  it.effect("lets a wait begin that fits", () =>
    Effect.gen(function* () {
      const retrier = yield* makeRetrier({ deadline: inSeconds(48) })
      const asks = failure({ kind: "rate-limited", retryAfter: Duration.seconds(40) })
      expect((yield* retrier(asks).pipe(drawing(1))).delayMs).toBe(48_000)
    })
  )

  it.effect("ends the request at once when the server's wait does not fit, and says so", () =>
    Effect.gen(function* () {
      const retrier = yield* makeRetrier({ deadline: inSeconds(30) })
      const asks = failure({ kind: "rate-limited", detail: "slow down", retryAfter: Duration.seconds(45) })
      const error = yield* Effect.flip(retrier(asks).pipe(drawing(0)))
      expect(error.detail).toBe("slow down; the server asks to wait 45s, but only 30s of the run's time is left")
      expect([error.kind, error.status, error.phase]).toEqual(["rate-limited", 503, "open"])
    })
  )

  it.effect("ends it too when only our own wait does not fit", () =>
    Effect.gen(function* () {
      const retrier = yield* makeRetrier({ deadline: inSeconds(2) })
      const error = yield* Effect.flip(retrier(failure()).pipe(steady))
      expect(error.detail).toBe("down; the next attempt is due in 5s, but only 2s of the run's time is left")
    })
  )
})

describe("a shortage of capacity", () => {
  it.effect("that a person is asked about is waited for twice, shortly", () =>
    Effect.gen(function* () {
      const retrier = yield* makeRetrier({ asksAboutCapacity: true })
      const busy = failure({ kind: "capacity" })
      const waits = [(yield* retrier(busy)).delayMs, (yield* retrier(busy)).delayMs]
      expect(waits).toEqual([1000, 3000])
      expect(yield* Effect.flip(retrier(busy))).toBe(busy)
      const named = yield* makeRetrier({ asksAboutCapacity: true })
      expect((yield* named(failure({ kind: "capacity", retryAfter: Duration.seconds(9) }))).delayMs).toBe(9000)
    })
  )
})
