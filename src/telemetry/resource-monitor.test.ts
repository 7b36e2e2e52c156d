import { expect, test } from "bun:test"
import { Effect, FastCheck as fc, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { makeMonitor, type Samples, takeSamples, withoutOld } from "./resource-monitor.ts"
import { off, type Recording } from "./telemetry.ts"

/** A recording that keeps the components that were measured, one entry for each look. */
const listening = () => {
  const looks: Array<string> = []
  const recording: Recording = {
    ...off,
    measure: (name, _value, attributes) =>
      Effect.sync(() => {
        if (name === "gemini_cli.memory.usage" && attributes?.memory_type === "rss")
          looks.push(`${attributes.component}`)
      })
  }
  return { looks, recording }
}

it.effect("looks when something happens, but not more often than once a second", () =>
  Effect.gen(function* () {
    const { looks, recording } = listening()
    const active = yield* makeMonitor(recording, { every: undefined })
    yield* active("stream_end")
    expect(looks).toEqual([])
    yield* active("message_added")
    yield* active("tool_call_scheduled")
    expect(looks).toEqual(["activity_message_added"])
    yield* TestClock.adjust("31 seconds")
    yield* active("tool_call_completed")
    expect(looks).toEqual(["activity_message_added", "activity_tool_call_completed"])
  })
)

it.effect("looks from time to time where asked, and not while nobody is at work", () =>
  Effect.gen(function* () {
    const { looks, recording } = listening()
    const active = yield* makeMonitor(recording, { every: 5_000 })
    yield* TestClock.adjust("31 seconds")
    expect(looks[0]).toBe("monitor")
    const before = looks.length
    yield* TestClock.adjust("10 minutes")
    expect(looks).toHaveLength(before)
    yield* active("history_updated")
    yield* TestClock.adjust("10 seconds")
    expect(looks.length).toBeGreaterThan(before)
  })
)

const usual = (now: number) => ({ now, isUrgent: false })
const urgent = (now: number) => ({ now, isUrgent: true })
const at = (now: number, value: number) => takeSamples({ rss: value }, new Map(), usual(now)).samples

test("the first sample is recorded", () => {
  expect(takeSamples({ rss: 100 }, new Map(), usual(0)).worth).toEqual({ rss: 100 })
})

test.each([
  ["a little more, soon after", 105, usual(1_000), {}],
  ["much more, soon after", 106, usual(1_000), { rss: 106 }],
  ["less, after half a minute", 50, usual(30_000), {}],
  ["less, after half a minute in which somebody is at work", 50, urgent(30_000), { rss: 50 }],
  ["less, a moment before half a minute", 50, urgent(29_999), {}],
  ["less, after a minute", 50, usual(60_000), { rss: 50 }]
])("%s", (_, value, moment, worth) => {
  expect(takeSamples({ rss: value }, at(0, 100), moment).worth).toEqual(worth)
})

test("what was highest stays the mark, also after lower values", () => {
  const low = takeSamples({ rss: 10 }, at(0, 100), usual(60_000)).samples
  expect(takeSamples({ rss: 90 }, low, usual(61_000)).worth).toEqual({})
})

test("after an hour without a record a value is new again", () => {
  const samples = at(0, 100)
  expect(withoutOld(samples, 3_599_999)).toEqual(samples)
  expect(withoutOld(samples, 3_600_000)).toEqual(new Map())
})

test("whatever is sampled, records of a value that does not grow are at least half a minute apart", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ wait: fc.nat(100_000), isUrgent: fc.boolean() })), (steps) => {
      let samples: Samples = new Map()
      let now = 0
      let last: number | undefined
      for (const { isUrgent, wait } of steps) {
        now += wait
        const taken = takeSamples({ heap_used: 100 }, samples, { now, isUrgent })
        samples = taken.samples
        if (!("heap_used" in taken.worth)) continue
        if (last !== undefined) expect(now - last).toBeGreaterThanOrEqual(30_000)
        last = now
      }
    })
  )
})
