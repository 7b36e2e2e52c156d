import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import { it } from "../../test/kit/it.ts"
import { CTRL_C, makeReplRoom } from "../../test/kit/repl-room.ts"
import { type FallbackQuestion, FallbackQuestions } from "../model/routing/fallback-questions.ts"
import { ModelError, type ModelErrorKind } from "../retry/model-error.ts"
import { layer } from "./fallback-questions.ts"

const failure = (kind: ModelErrorKind, extra: Partial<ConstructorParameters<typeof ModelError>[0]> = {}) =>
  new ModelError({ kind, detail: "it failed", phase: "open", errorType: "TEST", ...extra })

const question = (error: ModelError): FallbackQuestion => ({
  failed: "gemini-3.1-pro-preview-customtools",
  other: "gemini-3-flash-preview",
  error
})

describe("what is offered", () => {
  const rows: ReadonlyArray<[string, FallbackQuestion, ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [
      "a quota",
      question(failure("quota", { resetsAt: "2026-02-03T08:00:00Z" })),
      ["1. Switch to gemini-3-flash-preview", "2. Stop"],
      ["The usage limit of gemini-3.1-pro-preview is reached", "2026-02-03T08:00:00Z", "/stats model", "/model"]
    ],
    [
      "a shortage",
      question(failure("capacity")),
      ["1. Keep trying", "2. Switch to gemini-3-flash-preview", "3. Stop"],
      ["high demand for all Pro models", "/model"]
    ],
    [
      "a server that fails",
      question(failure("unavailable", { status: 500 })),
      ["1. Keep trying", "2. Switch", "3. Stop"],
      ["gemini-3.1-pro-preview does not answer"]
    ],
    [
      "no such model, on Vertex AI",
      question(failure("not-found", { model: "m", authType: "vertex-ai" })),
      ["1. Switch", "2. Stop"],
      ["GOOGLE_CLOUD_LOCATION"]
    ],
    [
      "nothing else to switch to",
      { ...question(failure("rate-limited")), other: undefined },
      ["1. Keep trying", "2. Stop"],
      ["it failed"]
    ]
  ]
  for (const [name, asked, choices, words] of rows) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const room = yield* makeReplRoom
        yield* room.enter("stop")
        const { ask } = yield* Effect.provide(FallbackQuestions, layer.pipe(Layer.provide(room.layer)))
        expect(yield* ask(asked)).toBe("stop")
        const shown = room.printed.join("\n").replace(/\s+/g, " ")
        for (const text of [...choices, ...words]) expect(shown).toContain(text)
        expect(shown).not.toContain(`${choices.length + 1}. `)
      })
    )
  }
})

it.effect("an answer by number; turning away means to stop", () =>
  Effect.gen(function* () {
    const room = yield* makeReplRoom
    yield* room.enter("2", "1", CTRL_C)
    const { ask } = yield* Effect.provide(FallbackQuestions, layer.pipe(Layer.provide(room.layer)))
    const asked = question(failure("capacity"))
    expect([yield* ask(asked), yield* ask(asked), yield* ask(asked)]).toEqual(["switch", "again", "stop"])
  })
)

it.effect("one question at a time: a second request that fails meanwhile ends", () =>
  Effect.gen(function* () {
    const room = yield* makeReplRoom
    const { ask } = yield* Effect.provide(FallbackQuestions, layer.pipe(Layer.provide(room.layer)))
    const first = yield* Effect.fork(ask(question(failure("quota"))))
    yield* Effect.yieldNow()
    expect(yield* ask(question(failure("quota")))).toBe("stop")
    yield* room.enter("1")
    expect(yield* Fiber.join(first)).toBe("switch")
  })
)
