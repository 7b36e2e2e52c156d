import { expect } from "bun:test"
import { Effect, Fiber, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { cachedOnce } from "./cached-once.ts"

it.effect("a first use that is cancelled spoils nothing for the next one", () =>
  Effect.gen(function* () {
    let count = 0
    const cached = yield* cachedOnce(
      Effect.delay(
        Effect.sync(() => ++count),
        "1 second"
      )
    )
    const first = yield* Effect.fork(cached)
    yield* Effect.yieldNow()
    const cancelled = yield* Effect.fork(Fiber.interrupt(first))
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(cancelled)
    expect([yield* cached, yield* cached]).toEqual([1, 1])
  })
)
