import { expect } from "bun:test"
import { Deferred, Effect, Fiber, Ref, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import { makePathIndex } from "./path-index.ts"

const settle = Effect.yieldNow().pipe(Effect.repeatN(30))

it.effect("is learned once, at the first hint, and whoever asks meanwhile waits for that", () =>
  Effect.gen(function* () {
    const listings = yield* Ref.make(0)
    const gate = yield* Deferred.make<void>()
    const list = Ref.update(listings, (count) => count + 1).pipe(
      Effect.zipRight(Deferred.await(gate)),
      Effect.as(["a"])
    )
    const index = yield* makePathIndex(list)
    yield* index.prepare
    const asked = yield* Effect.fork(Effect.all([index.known, index.current], { concurrency: 2 }))
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    expect(yield* Fiber.join(asked)).toEqual([["a"], ["a"]])
    expect(yield* Ref.get(listings)).toBe(1)
  })
)

it.effect("later serves what it knows at once, and learns what is new behind that", () =>
  Effect.gen(function* () {
    const present = yield* Ref.make(["old"])
    const index = yield* makePathIndex(Ref.get(present))
    expect(yield* index.known).toEqual(["old"])
    yield* Ref.set(present, ["new"])
    expect(yield* index.current).toEqual(["old"])
    yield* TestClock.adjust("21 seconds")
    expect(yield* index.known).toEqual(["old"])
    yield* settle
    expect(yield* index.known).toEqual(["new"])
  })
)

it.effect("a listing that was given up by one is not lost for the others", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const index = yield* makePathIndex(Effect.as(Deferred.await(gate), ["a"]))
    const impatient = yield* Effect.fork(index.known)
    yield* settle
    yield* Fiber.interrupt(impatient)
    yield* Deferred.succeed(gate, undefined)
    expect(yield* index.known).toEqual(["a"])
  })
)
