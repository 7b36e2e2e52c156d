import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { ask, callChunk, chunk, inTurn } from "../../test/kit/chat-room.ts"
import { it } from "../../test/kit/it.ts"
import { type Content, userText } from "../protocol/content.ts"
import { knownSpeaker, type Speaker } from "./next-speaker.ts"

const model = (text: string): Content => ({ role: "model", parts: [{ text }] })
const reply: Content = { role: "user", parts: [{ functionResponse: { name: "ls", response: {} } }] }

test.each<[string, ReadonlyArray<Content>, Speaker | undefined]>([
  ["nothing was said", [], "user"],
  ["results wait for the model", [userText("q"), reply], "model"],
  ["the model said nothing at all", [userText("q"), { role: "model", parts: [] }], "model"],
  ["the user spoke last", [model("a"), userText("q")], "user"],
  ["an answer must be looked at", [userText("q"), model("a")], undefined]
])("%s", (_, history, speaker) => expect(knownSpeaker(history)).toBe(speaker))

const says = (next: string) => Effect.succeed(chunk(JSON.stringify({ reasoning: "r", next_speaker: next }), "STOP"))

describe("after an answer", () => {
  it.effect("nobody is asked by default", () =>
    Effect.gen(function* () {
      const { questions, requests } = yield* ask({ stream: inTurn([[chunk("Let me look.", "STOP")]]) })
      expect(questions).toEqual([])
      expect(requests).toHaveLength(1)
    })
  )

  it.effect("a model that announced a step is told to take it", () =>
    Effect.gen(function* () {
      let asked = 0
      const { questions, requests, result } = yield* ask(
        {
          stream: inTurn([[chunk("Let me look.", "STOP")], [callChunk("ls")], [chunk("Done.", "STOP")]]),
          generate: () => says(asked++ === 0 ? "model" : "user")
        },
        { checksNextSpeaker: true }
      )
      expect(result._tag).toBe("Right")
      expect(questions.map(({ role }) => role)).toEqual(["utility_next_speaker", "utility_next_speaker"])
      expect(requests[1]?.contents.at(-1)).toEqual(userText("Please go on."))
    })
  )

  it.effect("a question that fails leaves the word to the user", () =>
    Effect.gen(function* () {
      const { requests, result } = yield* ask(
        { stream: inTurn([[chunk("Let me look.", "STOP")]]), generate: () => Effect.succeed(chunk("?", "STOP")) },
        { checksNextSpeaker: true }
      )
      expect(result._tag).toBe("Right")
      expect(requests).toHaveLength(1)
    })
  )
})
