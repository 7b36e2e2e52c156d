import { expect } from "bun:test"
import { Deferred, Effect, Fiber } from "effect"
import { it } from "../../test/kit/it.ts"
import { raceToEnd } from "./race-to-end.ts"

/** Takes its time to end. */
const slowToStop = (log: Array<string>) =>
  Effect.onInterrupt(Effect.never, () =>
    Effect.yieldNow().pipe(Effect.repeatN(20), Effect.zipRight(Effect.sync(() => void log.push("stopped"))))
  )

it.effect("the first result counts, and the other one has ended by then", () =>
  Effect.gen(function* () {
    const log: Array<string> = []
    expect(yield* raceToEnd(slowToStop(log), Effect.as(Effect.yieldNow(), "won"))).toBe("won")
    expect(log).toEqual(["stopped"])
  })
)

it.effect("an interrupted race waits for its work before anything around it is closed", () =>
  Effect.gen(function* () {
    const log: Array<string> = []
    const begun = yield* Deferred.make<void>()
    const work = Effect.zipRight(Deferred.succeed(begun, undefined), slowToStop(log))
    const fiber = yield* Effect.fork(
      Effect.ensuring(
        raceToEnd(work, Effect.never),
        Effect.sync(() => void log.push("closed"))
      )
    )
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(fiber)
    expect(log).toEqual(["stopped", "closed"])
  })
)
