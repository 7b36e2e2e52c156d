import { describe, expect } from "bun:test"
import { Clock, Duration, Effect, FastCheck, Fiber, Option, Random, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { ModelError } from "./model-error.ts"
import type { RetryOptions } from "./retry-limits.ts"
import { type RetryWait, untilAnswered } from "./retry-policy.ts"
import { SilenceBudget } from "./silence-budget.ts"

const failure = (fields: Partial<ConstructorParameters<typeof ModelError>[0]> = {}) =>
  new ModelError({
    kind: "unavailable",
    detail: "down",
    status: 503,
    phase: "open",
    errorType: "SERVER_ERROR",
    ...fields
  })

/** The waits until the policy gives up, each slept on the test clock, and what it gives up with. */
const outcome = (options: RetryOptions, errors: (attempt: number) => ModelError) =>
  Effect.gen(function* () {
    const told: Array<RetryWait> = []
    const startedAt: Array<number> = []
    const call = Effect.flatMap(Clock.currentTimeMillis, (now) => errors(startedAt.push(now)))
    const tell = (wait: RetryWait) => Effect.sync(() => told.push(wait))
    const fiber = yield* Effect.fork(Effect.flip(untilAnswered(call, options, tell)))
    yield* TestClock.adjust("2 hours")
    const error = yield* Fiber.join(fiber)
    const waits = told.map(({ delayMs }) => delayMs)
    expect(told.map(({ attempt }) => attempt)).toEqual(waits.map((_, index) => index + 1))
    expect(startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0))).toEqual(waits)
    return { waits, error }
  })

const waits = (options: RetryOptions, errors: (attempt: number) => ModelError) =>
  Effect.map(outcome(options, errors), ({ waits }) => waits)

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

  const anyCase = FastCheck.tuple(
    FastCheck.integer({ min: 0, max: 300 }),
    FastCheck.double({ min: 0, max: 1, noNaN: true })
  )
  it.effect("stays within its bounds for every draw and every attempt", () =>
    Effect.forEach(FastCheck.sample(anyCase, 100), ([seconds, draw]) =>
      Effect.gen(function* () {
        const seen = yield* waits({}, always(asks(seconds))).pipe(drawing(draw))
        expect(seen.length).toBe(9)
        expect(seen.every((wait) => wait >= seconds * 1000 - 1)).toBe(true)
        expect(seen.every((wait) => wait <= Math.max(30, seconds) * 1200 + 1)).toBe(true)
      })
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
      const asks = failure({ kind: "rate-limited", retryAfter: Duration.seconds(40) })
      const seen = yield* waits({ deadline: inSeconds(48), maxAttempts: 2 }, always(asks)).pipe(drawing(1))
      expect(seen).toEqual([48_000])
    })
  )

  it.effect("ends the request at once when the server's wait does not fit, and says so", () =>
    Effect.gen(function* () {
      const asks = failure({ kind: "rate-limited", detail: "slow down", retryAfter: Duration.seconds(45) })
      const { error, waits } = yield* outcome({ deadline: inSeconds(30) }, always(asks)).pipe(drawing(0))
      expect(waits).toEqual([])
      expect(error.detail).toBe("slow down; the server asks to wait 45s, but only 30s of the run's time is left")
      expect([error.kind, error.status, error.phase]).toEqual(["rate-limited", 503, "open"])
    })
  )

  it.effect("ends it too when only our own wait does not fit", () =>
    Effect.gen(function* () {
      const { error } = yield* outcome({ deadline: inSeconds(2) }, always(failure())).pipe(steady)
      expect(error.detail).toBe("down; the next attempt is due in 5s, but only 2s of the run's time is left")
    })
  )
})

describe("a shortage of capacity", () => {
  const busy = failure({ kind: "capacity" })

  it.effect("that a person is asked about is waited for twice, shortly", () =>
    Effect.gen(function* () {
      const { error, waits: seen } = yield* outcome({ asksAboutCapacity: true }, always(busy))
      expect(seen).toEqual([1000, 3000])
      expect(error).toBe(busy)
      const named = failure({ kind: "capacity", retryAfter: Duration.seconds(9) })
      expect(yield* waits({ asksAboutCapacity: true }, always(named))).toEqual([9000, 9000])
    })
  )

  it.effect("between other failures does not lengthen their waits, nor count against their attempts", () =>
    Effect.gen(function* () {
      const errors = (attempt: number) => (attempt === 2 ? busy : failure())
      const options = { asksAboutCapacity: true, maxAttempts: 3 }
      expect(yield* waits(options, errors).pipe(steady)).toEqual([5000, 3000, 10_000])
      expect(yield* waits({ asksAboutCapacity: true, maxAttempts: 1 }, always(busy))).toEqual([1000, 3000])
    })
  )
})

describe("a server to which no connection can be made", () => {
  const gone = failure({ kind: "network", status: undefined, errorType: "ECONNREFUSED" })

  it.effect("is tried three times within 8 seconds", () =>
    Effect.gen(function* () {
      for (const draw of [0, 0.5, 1]) {
        const seen = yield* waits({ silence: new SilenceBudget() }, always(gone)).pipe(drawing(draw))
        expect(seen).toHaveLength(2)
        expect(seen.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(8_000)
      }
    })
  )

  it.effect("is given up sooner where an attempt takes long", () =>
    Effect.gen(function* () {
      const silence = new SilenceBudget()
      silence.waited(7_000)
      expect(yield* waits({ silence }, always(gone)).pipe(steady)).toEqual([])
    })
  )

  it.effect("keeps the long schedule once it was there", () =>
    Effect.gen(function* () {
      const lost = failure({ kind: "network", status: undefined, errorType: "ECONNRESET" })
      expect(yield* waits({ silence: new SilenceBudget() }, always(lost)).pipe(steady)).toHaveLength(9)
    })
  )
})
