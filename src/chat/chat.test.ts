import { expect } from "bun:test"
import { Effect } from "effect"
import { ask as askChat, broken, callChunk, chunk, inTurn, type Reply } from "../../test/kit/chat-room.ts"
import { it } from "../../test/kit/it.ts"
import type { ChatOptions } from "./chat-options.ts"

const ask = (replies: ReadonlyArray<Reply>, changed: Partial<ChatOptions> = {}) =>
  askChat({ stream: inTurn(replies) }, changed)

it.effect("a plain answer is text, a finished request and nothing more", () =>
  Effect.gen(function* () {
    const { requests, result, tags } = yield* ask([[chunk("Hel"), chunk("lo", "STOP")]])
    expect(result._tag).toBe("Right")
    expect(tags).toEqual([
      "UserMessage",
      "ModelRouted",
      "ModelChosen",
      "Text",
      "Text",
      "RequestFinished",
      "TurnFinished"
    ])
    expect(requests[0]).toMatchObject({
      model: "m",
      systemInstruction: "be good",
      contents: [{ role: "user", parts: [{ text: "context" }, { text: "hi" }] }],
      config: { temperature: 0 }
    })
  })
)

it.effect("a failed call is answered and the loop goes on", () =>
  Effect.gen(function* () {
    const { requests, result, tags } = yield* ask([[callChunk("nope", { a: 1 })], [chunk("ok", "STOP")]])
    expect(result._tag).toBe("Right")
    expect(tags).toContain("ToolRequested")
    expect(tags).toContain("ToolFinished")
    const [, asked, answered] = requests[1]?.contents ?? []
    const call = asked?.parts[0]?.functionCall
    expect(call).toMatchObject({ name: "nope", args: { a: 1 } })
    expect(answered?.parts[0]?.functionResponse).toMatchObject({
      id: call?.id,
      name: "nope",
      response: { error: "no" }
    })
  })
)

it.effect("an empty answer right after tool results ends the run normally", () =>
  Effect.gen(function* () {
    const { requests, result } = yield* ask([[callChunk("nope")], [chunk("", "STOP")]])
    expect(result._tag).toBe("Right")
    expect(requests).toHaveLength(2)
  })
)

it.effect("an empty answer is asked for four times, with a note, and is then an error", () =>
  Effect.gen(function* () {
    const empty: Reply = [chunk("", "STOP")]
    const { requests, result, tags } = yield* ask([empty, empty, empty, empty, empty])
    expect(requests).toHaveLength(4)
    expect(requests[1]?.systemInstruction).toContain("System note")
    expect(requests[1]?.config).toEqual({ temperature: 1 })
    expect(tags.filter((tag) => tag === "AnswerRejected")).toHaveLength(4)
    expect(result).toMatchObject({ _tag: "Left", left: { _tag: "InvalidAnswer", kind: "NO_RESPONSE_TEXT" } })
  })
)

it.effect("a stream that breaks before any text is opened again", () =>
  Effect.gen(function* () {
    const { requests, result, tags } = yield* ask([[broken("body")], [chunk("whole", "STOP")]])
    expect(result._tag).toBe("Right")
    expect(requests).toHaveLength(2)
    expect(tags).toContain("TurnRestarted")
  })
)

it.effect("a stream that breaks after text was shown fails and keeps the text", () =>
  Effect.gen(function* () {
    const { events, requests, result } = yield* ask([[chunk("part"), broken("body")], [chunk("whole", "STOP")]])
    expect(result).toMatchObject({ _tag: "Left", left: { _tag: "ModelError" } })
    expect(requests).toHaveLength(1)
    expect(events).toContainEqual({ _tag: "Text", text: "part" })
  })
)

it.effect("the same is retried where nobody has seen the text", () =>
  Effect.gen(function* () {
    const { requests, result } = yield* ask([[chunk("part"), broken("body")], [chunk("whole", "STOP")]], {
      restartable: true
    })
    expect(result._tag).toBe("Right")
    expect(requests).toHaveLength(2)
  })
)

it.effect("a failure to open is final here: it was retried where the connection is made", () =>
  Effect.gen(function* () {
    const { requests, result } = yield* ask([[broken("open")], [chunk("late", "STOP")]])
    expect(result._tag).toBe("Left")
    expect(requests).toHaveLength(1)
  })
)

it.effect("the turn limit ends the run before the request that would pass it", () =>
  Effect.gen(function* () {
    const { requests, result } = yield* ask([[callChunk("nope")], [callChunk("nope")], [chunk("x", "STOP")]], {
      maxTurns: { session: { value: 2, source: "--max-turns" }, prompt: undefined }
    })
    expect(requests).toHaveLength(2)
    expect(result).toMatchObject({ _tag: "Left", left: { _tag: "LimitReached", limit: "turns", value: "2" } })
  })
)

it.effect("text that was cut by the token limit is shown with a warning", () =>
  Effect.gen(function* () {
    const { events, result } = yield* ask([[chunk("half", "MAX_TOKENS")]])
    expect(result._tag).toBe("Right")
    expect(events.at(-1)).toMatchObject({ _tag: "Notice", severity: "warning" })
  })
)
