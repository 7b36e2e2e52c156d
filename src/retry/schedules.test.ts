import { expect } from "bun:test"
import { Clock, Duration, Effect, Fiber, Schedule, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { answerAgain, choose, questionAgain, told, withDelay } from "./schedules.ts"

/** Milliseconds between the attempts of something that always fails, in two minutes. */
const waitsOf = <Out>(schedule: Schedule.Schedule<Out, string>, failures: (attempt: number) => string = () => "no") =>
  Effect.gen(function* () {
    const tried: Array<number> = []
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(failures(tried.push(now))))
    const fiber = yield* Effect.fork(Effect.retry(attempt, schedule))
    yield* TestClock.adjust("2 minutes")
    yield* Fiber.interrupt(fiber)
    return tried.slice(1).map((now, index) => now - (tried[index] ?? 0))
  })

it.effect("an answer is asked for again after 1, 2, 4 seconds and so on", () =>
  Effect.gen(function* () {
    expect((yield* waitsOf(answerAgain)).slice(0, 4)).toEqual([1000, 2000, 4000, 8000])
  })
)

it.effect("a question is asked as often as it is worth", () =>
  Effect.gen(function* () {
    expect(yield* waitsOf(questionAgain(3))).toEqual([1000, 2000])
    expect(yield* waitsOf(questionAgain(1))).toEqual([])
  })
)

it.effect("what is told is told before each wait, and not at the end", () =>
  Effect.gen(function* () {
    const heard: Array<readonly [at: number, waitMs: number]> = []
    const schedule = told(withDelay(questionAgain(3)), ([, delay]) =>
      Effect.map(Clock.currentTimeMillis, (now) => heard.push([now, Duration.toMillis(delay)]))
    )
    yield* waitsOf(schedule)
    expect(heard).toEqual([
      [0, 1000],
      [1000, 2000]
    ])
  })
)

it.effect("of two schedules the one that is not meant stands still", () =>
  Effect.gen(function* () {
    const schedule = choose<unknown, unknown, string, never, never>(
      questionAgain(3),
      Schedule.spaced("7 seconds"),
      (failure) => failure === "other"
    )
    const failures = (attempt: number) => (attempt % 2 === 0 ? "other" : "no")
    expect(yield* waitsOf(schedule, failures)).toEqual([1000, 7000, 2000, 7000])
  })
)
