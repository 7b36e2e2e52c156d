/**
 * Hours of work in virtual time: hundreds of steps with faults thrown in at random. The run ends with the right answer or
 * says truthfully why not, and its last turns are no heavier than its first ones. `scripts/soak-chat.ts` takes longer.
 */
import { expect } from "bun:test"
import { Duration, Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { workThrough } from "../../test/kit/long-task.ts"
import { estimateContents } from "../model/token-estimate.ts"

const STEPS = 600
/** Far above what it takes on a busy machine. */
const PATIENCE_MS = 180_000

it.effect(
  "hundreds of steps with faults end with the right answer, and no turn outgrows the others",
  () =>
    Effect.gen(function* () {
      const { done, elapsed, events, questions, requests, result, violations } = yield* workThrough({
        steps: STEPS,
        seed: 7
      })
      expect(result._tag).toBe("Right")
      expect(events.findLast((event) => event._tag === "Text")).toMatchObject({ text: "The answer is 42." })
      expect(done).toEqual(new Map(Array.from({ length: STEPS }, (_, step) => [step, 1])))
      expect(Duration.greaterThan(elapsed, "1 hour")).toBe(true)
      expect(violations).toEqual([])

      const compressions = events.filter((event) => event._tag === "ChatCompressed")
      expect(compressions.length).toBeGreaterThan(1)
      const sizes = requests.map(({ contents }) => estimateContents(contents))
      const heaviest = (from: number, to: number) => Math.max(...sizes.slice(from, to))
      expect(heaviest(requests.length / 2, requests.length)).toBeLessThan(1.2 * heaviest(0, requests.length / 2))
      // Utility requests are a fraction of the turns, also when some of them fail.
      expect(questions.length).toBeLessThan(STEPS / 3)
    }),
  PATIENCE_MS
)

it.effect(
  "a person who cancels and goes on, and a program that is started anew, lose nothing",
  () =>
    Effect.gen(function* () {
      const { done, events, result, violations } = yield* workThrough({ steps: 200, seed: 11, isDisturbed: true })
      expect(result._tag).toBe("Right")
      expect(done.size).toBe(200)
      expect(violations).toEqual([])
      expect(events.filter((event) => event._tag === "UserMessage").length).toBeGreaterThan(1)
    }),
  PATIENCE_MS
)

it.effect("a fault that stays is told for what it is", () =>
  Effect.gen(function* () {
    const { done, result } = yield* workThrough({ steps: STEPS, seed: 7, fatalAt: 200 })
    expect(result).toMatchObject({ _tag: "Left", left: { _tag: "ModelError", kind: "unavailable" } })
    expect(done.size).toBe(200)
  })
)

it.effect("work without an end meets the limit that every prompt has", () =>
  Effect.gen(function* () {
    const limit = { value: 120, source: "model.maxPromptTurns" }
    const { requests, result } = yield* workThrough(
      { steps: STEPS, seed: 7 },
      { maxTurns: { session: undefined, prompt: limit } }
    )
    expect(result).toMatchObject({
      _tag: "Left",
      left: { _tag: "LimitReached", limit: "turns", value: "120", source: "model.maxPromptTurns" }
    })
    expect(requests.length).toBeGreaterThanOrEqual(120)
  })
)
