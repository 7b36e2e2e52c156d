import { expect } from "bun:test"
import { Effect, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { makeEarlyRecording } from "./early-recording.ts"
import { type LogEntry, off, type Recording } from "./telemetry.ts"

const listening = () => {
  const heard: Array<unknown> = []
  const recording: Recording = {
    ...off,
    log: (entry) => Effect.sync(() => void heard.push(entry)),
    count: (...given) => Effect.sync(() => void heard.push(given))
  }
  return { heard, recording }
}

const available: LogEntry = { name: "gemini_cli.keychain.availability", body: "x", attributes: { available: true } }

it.effect("tells what happened before with its own time, and only once", () =>
  Effect.gen(function* () {
    const early = makeEarlyRecording()
    const { heard, recording } = listening()
    yield* TestClock.adjust("2 seconds")
    yield* early.recording.log(available)
    yield* early.recording.count("gemini_cli.keychain.availability.count", { available: true })
    yield* TestClock.adjust("5 seconds")
    yield* early.replay(recording)
    yield* early.replay(recording)
    expect(heard).toEqual([
      { ...available, at: 2_000_000_000n },
      ["gemini_cli.keychain.availability.count", { available: true }, 1]
    ])
  })
)

it.effect("keeps no more than can happen before a start", () =>
  Effect.gen(function* () {
    const early = makeEarlyRecording()
    const { heard, recording } = listening()
    for (let index = 0; index < 1_000; index++) yield* early.recording.log({ ...available, body: `${index}` })
    yield* early.replay(recording)
    expect(heard).toHaveLength(100)
    expect(heard.at(-1)).toMatchObject({ body: "999" })
  })
)
