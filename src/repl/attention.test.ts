import { describe, expect } from "bun:test"
import { Effect, Fiber, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { makeReplRoom } from "../../test/kit/repl-room.ts"
import { type AttentionOptions, makeAttention } from "./attention.ts"

const after = (duration: string & Parameters<typeof TestClock.adjust>[0], options: Partial<AttentionOptions>) =>
  Effect.gen(function* () {
    const room = yield* makeReplRoom
    yield* Effect.gen(function* () {
      const attend = yield* makeAttention({ notifies: false, title: undefined, isTitleDynamic: false, ...options })
      const work = yield* Effect.fork(attend(Effect.sleep(duration)))
      yield* TestClock.adjust(duration)
      yield* Fiber.join(work)
    }).pipe(Effect.scoped, Effect.provide(room.layer))
    return room.log
  })

describe("attention", () => {
  it.effect("is called for when long work ends, and only then", () =>
    Effect.gen(function* () {
      expect(yield* after("10 seconds", { notifies: true })).toEqual(["notify gemini is done"])
      expect(yield* after("9 seconds", { notifies: true })).toEqual([])
      expect(yield* after("1 hours", {})).toEqual([])
    })
  )

  it.effect("the title says what goes on, and is cleared at the end", () =>
    Effect.gen(function* () {
      expect(yield* after("1 seconds", { title: "gemini: w", isTitleDynamic: true })).toEqual([
        "title gemini: w",
        "title gemini: w (working)",
        "title gemini: w",
        "title "
      ])
      expect(yield* after("1 seconds", { title: "gemini: w" })).toEqual(["title gemini: w", "title "])
    })
  )
})
