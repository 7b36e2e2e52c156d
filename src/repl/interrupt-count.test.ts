import { expect } from "bun:test"
import { Effect, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { makeInterruptCount } from "./interrupt-count.ts"

it.effect("the second Ctrl-C within three seconds means to leave, a later one does not", () =>
  Effect.gen(function* () {
    const meansToLeave = yield* makeInterruptCount
    expect(yield* meansToLeave).toBe(false)
    yield* TestClock.adjust("3001 millis")
    expect(yield* meansToLeave).toBe(false)
    yield* TestClock.adjust("3 seconds")
    expect(yield* meansToLeave).toBe(true)
  })
)
