import { expect } from "bun:test"
import { Effect, Fiber, type Layer } from "effect"
import { chatRoom, chunk, inTurn, partsChunk, runBudget, type Script, send } from "../../test/kit/chat-room.ts"
import { it } from "../../test/kit/it.ts"
import { PromptError } from "../prompt/prompt-error.ts"
import { type Content, userText } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { Chat } from "./chat.ts"
import { LimitReached } from "./chat-error.ts"
import type * as RunBudget from "./limits/run-budget.ts"

const model = (text: string): Content => ({ role: "model", parts: [{ text }] })
const words = (contents: ReadonlyArray<Content>) =>
  contents.flatMap(({ parts, role }) => parts.map(({ text }) => `${role}: ${text}`))

/** A conversation of its own for each test; `budget` where a limit matters. */
const room = (script: Partial<Script>, budget?: Layer.Layer<RunBudget.RunBudget>) =>
  chatRoom({ stream: inTurn([]), ...script }, {}, budget)

const LONG = Array.from({ length: 20 }, (_, index) => [
  userText(`question ${index} ${"x".repeat(2000)}`),
  model("y")
]).flat()
const snapshot = Effect.succeed(chunk("<state_snapshot>all of it</state_snapshot>"))

it.effect("the history holds what was said, and a chat can begin anew", () => {
  const { layer, requests } = room({ stream: inTurn([[chunk("one", "STOP")], [chunk("two", "STOP")]]) })
  return Effect.gen(function* () {
    const chat = yield* Chat
    yield* send("first", [])
    expect(words(yield* chat.history)).toEqual(["user: context", "user: first", "model: one"])
    yield* chat.replaceHistory([])
    expect(yield* chat.history).toEqual([])
    yield* send("second", [])
    expect(words(requests[1]?.contents ?? [])).toEqual(["user: context", "user: second"])
  }).pipe(Effect.provide(layer))
})

it.effect("a recorded conversation goes on, with the surroundings before it", () => {
  const { layer, requests } = room({ stream: inTurn([[chunk("two", "STOP")]]) })
  return Effect.gen(function* () {
    const chat = yield* Chat
    yield* chat.replaceHistory([userText("first"), model("one")])
    yield* send("second", [])
    expect(words(requests[0]?.contents ?? [])).toEqual(["user: context", "user: first", "model: one", "user: second"])
  }).pipe(Effect.provide(layer))
})

it.effect("a call of a conversation that goes on keeps its id to itself", () => {
  const asks = partsChunk([{ functionCall: { name: "ls", id: "1" } }], "STOP")
  const { layer } = room({ stream: inTurn([[asks], [chunk("done", "STOP")]]) })
  return Effect.gen(function* () {
    const chat = yield* Chat
    const call = { name: "ls", id: "1", args: {} }
    const response = { name: "ls", id: "1", response: { output: "a" } }
    yield* chat.replaceHistory([
      userText("first"),
      { role: "model", parts: [{ functionCall: call }] },
      { role: "user", parts: [{ functionResponse: response }] },
      model("one")
    ])
    yield* send("second", [])
    const ids = (yield* chat.history).flatMap(({ parts }) =>
      parts.flatMap(({ functionCall }) => functionCall?.id ?? [])
    )
    expect(ids).toEqual(["1", expect.stringMatching(/^ls__ls_\d+_\d+$/)])
  }).pipe(Effect.provide(layer))
})

it.effect("a question that could not even be asked leaves the conversation", () => {
  const failure = new PromptError({ kind: "missing", file: "/no/such.md", variable: "GEMINI_SYSTEM_MD" })
  const { layer } = room({ instruction: Effect.fail(failure) })
  return Effect.gen(function* () {
    const chat = yield* Chat
    expect(yield* Effect.flip(send("first", []))).toMatchObject({ _tag: "PromptError", file: "/no/such.md" })
    expect(yield* chat.history).toEqual([])
  }).pipe(Effect.provide(layer))
})

it.effect("a call that had ended when the person cancelled keeps its result", () => {
  const asks = partsChunk([{ functionCall: { name: "ls", id: "1" } }, { functionCall: { name: "hang", id: "2" } }])
  const { layer, requests } = room({
    stream: inTurn([[asks], [chunk("done", "STOP")]]),
    tool: ({ name }) => (name === "hang" ? Effect.never : Effect.succeed({ output: "a file" }))
  })
  return Effect.gen(function* () {
    const events: Array<ProtocolEvent> = []
    const fiber = yield* Effect.fork(send("first", events))
    while (!events.some(({ _tag }) => _tag === "ToolFinished")) yield* Effect.yieldNow()
    yield* Fiber.interrupt(fiber)
    yield* send("second", [])
    const responses = requests[1]?.contents.flatMap(({ parts }) =>
      parts.flatMap(({ functionResponse }) => functionResponse?.response ?? [])
    )
    expect(responses).toEqual([{ output: "a file" }, { error: expect.stringContaining("interrupted") }])
  }).pipe(Effect.provide(layer))
})

it.effect("surroundings that are there already are not given twice", () => {
  const { layer } = room({})
  return Effect.gen(function* () {
    const chat = yield* Chat
    const contents = [userText("<session_context>then</session_context>"), userText("first"), model("one")]
    yield* chat.replaceHistory(contents)
    expect(yield* chat.history).toEqual(contents)
  }).pipe(Effect.provide(layer))
})

it.effect(
  "a history is compressed on demand: requests and the new history are told, the report names the sizes",
  () => {
    const { layer, questions } = room({ generate: () => snapshot })
    const events: Array<ProtocolEvent> = []
    const emit = (event: ProtocolEvent) => Effect.sync(() => void events.push(event))
    return Effect.gen(function* () {
      const chat = yield* Chat
      yield* chat.replaceHistory(LONG)
      const report = yield* chat.compress({ force: true, emit })
      expect(report.status).toBe("COMPRESSED")
      expect(report.newTokens).toBeLessThan(report.originalTokens)
      expect(questions).toHaveLength(2)
      expect(events.map(({ _tag }) => _tag)).toEqual(["RequestFinished", "RequestFinished", "ChatCompressed"])
      expect(events.at(-1)).toMatchObject({ history: yield* chat.history })
    }).pipe(Effect.provide(layer))
  }
)

it.effect("an empty history has nothing to compress", () => {
  const { layer } = room({})
  return Effect.gen(function* () {
    const chat = yield* Chat
    const report = yield* chat.compress({ force: true, emit: () => Effect.void })
    expect(report).toMatchObject({ status: "NOOP", originalTokens: 0, newTokens: 0 })
  }).pipe(Effect.provide(layer))
})

it.effect("a snapshot that is empty leaves the history, and the report says why", () => {
  const { layer } = room({ generate: () => Effect.succeed(chunk(" ")) })
  return Effect.gen(function* () {
    const chat = yield* Chat
    yield* chat.replaceHistory(LONG)
    const before = yield* chat.history
    const report = yield* chat.compress({ force: true, emit: () => Effect.void })
    expect(report).toMatchObject({
      status: "COMPRESSION_FAILED_EMPTY_SUMMARY",
      reason: "the model wrote no snapshot"
    })
    expect(yield* chat.history).toEqual(before)
  }).pipe(Effect.provide(layer))
})

it.effect("a limit that is used up holds for a compression on demand too", () => {
  const spent = runBudget({ maxTokens: { value: 0, source: "--max-tokens" } }, () => undefined)
  const { layer } = room({ generate: () => snapshot }, spent)
  return Effect.gen(function* () {
    const chat = yield* Chat
    yield* chat.replaceHistory(LONG)
    const failure = yield* Effect.flip(chat.compress({ force: true, emit: () => Effect.void }))
    expect(failure).toBeInstanceOf(LimitReached)
  }).pipe(Effect.provide(layer))
})
