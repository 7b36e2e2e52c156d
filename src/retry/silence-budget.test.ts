import { expect, test } from "bun:test"
import { Duration, FastCheck as fc } from "effect"

import { FLEX_SILENCE, SilenceBudget, type SilenceLimits, USUAL_SILENCE, wholeOf } from "./silence-budget.ts"

const seconds = ({ firstEvent, nextEvent, wholeAnswer }: SilenceLimits) =>
  [firstEvent, nextEvent, wholeAnswer].map(Duration.toSeconds)

test("the bounds that everybody is told", () => {
  expect(seconds(USUAL_SILENCE)).toEqual([180, 300, 1800])
  expect(seconds(FLEX_SILENCE)).toEqual([1200, 1200, 7200])
})

/** How long somebody waits who takes pauses of these lengths, and hears something after some of them. */
const waited = (limits: SilenceLimits, steps: ReadonlyArray<{ readonly ms: number; readonly hears: boolean }>) => {
  const budget = new SilenceBudget()
  let [silent, longest, total] = [0, 0, 0]
  for (const { hears, ms } of steps) {
    const left = budget.left(limits)
    if (left <= 0) break
    const taken = Math.min(ms, left)
    budget.waited(taken)
    silent += taken
    total += taken
    longest = Math.max(longest, silent)
    if (hears && taken === ms) {
      budget.heard()
      silent = 0
    }
  }
  return { longest, total }
}

test("nobody waits longer, however the silence is cut into attempts", () => {
  const step = fc.record({ ms: fc.integer({ min: 1, max: 400_000 }), hears: fc.boolean() })
  const limits = fc.constantFrom(USUAL_SILENCE, FLEX_SILENCE, wholeOf(USUAL_SILENCE))
  fc.assert(
    fc.property(limits, fc.array(step, { maxLength: 60 }), (limits, steps) => {
      const { longest, total } = waited(limits, steps)
      expect(longest).toBeLessThanOrEqual(Duration.toMillis(limits.nextEvent))
      expect(total).toBeLessThanOrEqual(Duration.toMillis(limits.wholeAnswer))
    })
  )
  const silence = Array.from({ length: 100 }, () => ({ ms: 7_000, hears: false }))
  expect(waited(USUAL_SILENCE, silence).total).toBe(180_000)
})
