import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { broken, chunk, partsChunk } from "../../test/kit/chat-room.ts"
import { it } from "../../test/kit/it.ts"
import { Hooks, type HooksView, none } from "../hooks/hooks.ts"
import * as Flow from "../kernel/flow.ts"
import { ModelClient, type ModelEvent } from "../model/model-client.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { PromptId } from "../protocol/ids.ts"
import type { ModelError } from "../retry/model-error.ts"
import { runAttempt } from "./attempt.ts"

const REQUEST = {
  contents: [],
  systemInstruction: "",
  promptId: PromptId.make("p"),
  role: "main" as const,
  model: "a",
  config: {},
  reconfigured: (model: string) => ({ model, config: {} }),
  hasCall: () => false,
  isChant: () => false
}

const clientOf = (events: Flow.Flow<ModelEvent, ModelError>) =>
  Layer.succeed(ModelClient, {
    stream: () => events,
    generate: () => Effect.die("not used"),
    countTokens: () => Effect.die("not used"),
    embed: () => Effect.die("not used")
  })

const error = broken("open")

/** Who took how long, of a request that fails after a second; an hour later somebody has said how it goes on. */
const durations = (answer: Flow.Flow<ModelEvent, ModelError>) =>
  Effect.gen(function* () {
    const told: Array<ProtocolEvent> = []
    const failing = Flow.fromEffect(Effect.delay(Effect.succeed<ModelEvent>({ _tag: "GivenUp", error }), "1 second"))
    const client = clientOf(Flow.concat(failing, Flow.unwrap(Effect.delay(Effect.succeed(answer), "1 hour"))))
    const emit = (event: ProtocolEvent) => Effect.sync(() => void told.push(event))
    const fiber = yield* Effect.fork(Effect.provide(runAttempt(REQUEST, emit), client))
    yield* TestClock.adjust("2 hours")
    yield* Fiber.join(fiber)
    return told.flatMap((event) =>
      event._tag === "RequestFailed" || event._tag === "RequestFinished"
        ? [`${event._tag} ${event.model} ${event.durationMs}`]
        : []
    )
  })

describe("the time in which somebody decides what becomes of a failed request is nobody's", () => {
  const said = Flow.fromEffect(
    Effect.delay(Effect.succeed<ModelEvent>({ _tag: "Chunk", chunk: chunk("hi", "STOP") }), "2 seconds")
  )
  const rows: ReadonlyArray<[string, Flow.Flow<ModelEvent, ModelError>, ReadonlyArray<string>]> = [
    [
      "another model",
      Flow.concat(Flow.succeed<ModelEvent>({ _tag: "ModelReplaced", from: "a", to: "b", error }), said),
      ["RequestFailed a 1000", "RequestFinished b 2000"]
    ],
    [
      "the same once more",
      Flow.concat(
        Flow.succeed<ModelEvent>({ _tag: "RetryScheduled", error, attempt: 1, maxAttempts: 2, delayMs: 0 }),
        said
      ),
      ["RequestFailed a 1000", "RequestFinished a 2000"]
    ],
    ["the end", Flow.fail(error), ["RequestFailed a 1000"]]
  ]
  for (const [name, answer, expected] of rows) {
    it.effect(name, () => Effect.map(durations(answer), (told) => expect(told).toEqual([...expected])))
  }
})

it.effect("an answer that a hook stops was paid for all the same", () =>
  Effect.gen(function* () {
    const told: Array<ProtocolEvent> = []
    const client = clientOf(Flow.succeed<ModelEvent>({ _tag: "Chunk", chunk: partsChunk([{ text: "hi" }], "STOP", 7) }))
    const stopping: HooksView = {
      ...none,
      has: (event, { streams } = { streams: false }) => Effect.succeed(event === "AfterModel" && !streams),
      afterModel: () => Effect.succeed({ _tag: "Halt", kind: "stopped", reason: "enough" })
    }
    const ended = yield* runAttempt(REQUEST, (event) => Effect.sync(() => void told.push(event))).pipe(
      Effect.provide(client),
      Effect.provideService(Hooks, stopping),
      Effect.flip
    )
    expect(ended.message).toContain("enough")
    expect(told).toMatchObject([{ _tag: "RequestFinished", model: "a", usage: { promptTokenCount: 7 } }])
  })
)
