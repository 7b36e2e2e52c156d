import { expect } from "bun:test"
import { Effect, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { makeMonitor } from "./resource-monitor.ts"
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
