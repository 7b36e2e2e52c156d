import { expect } from "bun:test"
import { Effect, Layer, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { RunWriter } from "./run-writer.ts"
import * as Stderr from "./stderr.ts"
import type { OutputError } from "./stdout.ts"
import { withWaitNotice } from "./wait-notice.ts"

const inner = Layer.succeed(RunWriter, RunWriter.of({ onEvent: () => Effect.void, finish: () => Effect.void }))
const chosen: ProtocolEvent = { _tag: "ModelChosen", model: "m" }
const text: ProtocolEvent = { _tag: "Text", text: "hi" }

const during = (steps: (writer: RunWriter["Type"]) => Effect.Effect<unknown, OutputError>) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const writer = withWaitNotice(inner).pipe(Layer.provide(Stderr.layerMemory(said)))
    yield* Effect.provide(Effect.flatMap(RunWriter, steps), writer)
    return said.join("")
  })

it.effect("a long wait for the model is told once", () =>
  Effect.gen(function* () {
    const said = yield* during(({ onEvent }) =>
      Effect.gen(function* () {
        yield* onEvent(chosen)
        yield* TestClock.adjust("30 seconds")
        yield* onEvent(text)
        yield* onEvent(chosen)
        yield* TestClock.adjust("30 seconds")
      })
    )
    expect(said).toBe("[INFO] still waiting for m: nothing has come for 10 s (--max-time limits a run)\n")
  })
)

it.effect("nothing is said while the answer comes, or before", () =>
  Effect.gen(function* () {
    const said = yield* during(({ onEvent }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("30 seconds")
        yield* onEvent(chosen)
        yield* TestClock.adjust("9 seconds")
        yield* onEvent(text)
        yield* TestClock.adjust("60 seconds")
      })
    )
    expect(said).toBe("")
  })
)
