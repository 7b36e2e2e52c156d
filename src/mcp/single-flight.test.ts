import { expect } from "bun:test"
import { Effect, Fiber, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { makeSingleFlight } from "./single-flight.ts"

it.effect("a burst is one piece of work under way and one more after it", () =>
  Effect.gen(function* () {
    const done: Array<string> = []
    const ask = yield* makeSingleFlight((key: string) =>
      Effect.delay(
        Effect.sync(() => void done.push(key)),
        "1 second"
      )
    )
    const first = yield* Effect.fork(ask("a"))
    yield* TestClock.adjust("500 millis")
    const rest = yield* Effect.forkAll([ask("a"), ask("a"), ask("b"), ask("a")])
    yield* TestClock.adjust("10 seconds")
    yield* Effect.all([Fiber.join(first), Fiber.join(rest)])
    expect(done.toSorted()).toEqual(["a", "a", "b"])
  })
)
