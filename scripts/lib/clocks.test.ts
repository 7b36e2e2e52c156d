import { expect, test } from "bun:test"
import { calendarReads, clockFaults } from "./clocks.ts"

test.each([
  "const now = yield* Clock.currentTimeMillis",
  "Effect.flatMap(Clock.currentTimeMillis, (now) => now)",
  "const now = clock.unsafeCurrentTimeMillis()",
  "const at = Date.now()",
  "const read = Date.now",
  "const at = new Date()",
  "const at = new Date",
  "const at = Date()",
  "const now = yield* DateTime.now",
  "const now = DateTime.unsafeNow()",
  'Effect.repeat(look, Schedule.spaced("1 second").pipe(Schedule.upTo("1 minute")))',
  'Effect.cachedWithTTL(look, "1 minute")'
])("%s asks for the date", (text) => expect(calendarReads(text)).toEqual([1]))

test.each([
  "const since = yield* monotonicMillis",
  "const at = new Date(header)",
  "// Date.now() would go back",
  'const text = "new Date()"',
  "const now: Date = at",
  'Effect.repeat(look, Schedule.spaced("1 second"))'
])("%s does not", (text) => expect(calendarReads(text)).toEqual([]))

test("a file asks as often as the list says, and not once more or less", () => {
  const named = new Map([["a.ts", 1]])
  const read = "const now = yield* Clock.currentTimeMillis"
  expect(clockFaults("a.ts", read, named)).toEqual([])
  expect(clockFaults("a.ts", `${read}\n${read}`, named)).toHaveLength(2)
  expect(clockFaults("a.ts", "", named)).toEqual(["a.ts: asks for the date 0 times, and scripts/lib/clocks.ts says 1"])
  expect(clockFaults("b.ts", read, named)).toEqual([
    "b.ts:1: asks for the date: measure with kernel/monotonic-time.ts, or say in scripts/lib/clocks.ts what the date is for"
  ])
})
