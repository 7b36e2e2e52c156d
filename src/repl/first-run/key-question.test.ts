import { describe, expect } from "bun:test"
import { Effect, Option, Redacted } from "effect"
import { it } from "../../../test/kit/it.ts"
import { CTRL_C, CTRL_D, makeReplRoom } from "../../../test/kit/repl-room.ts"
import type { LineResult } from "../editor/line-editor.ts"
import { askWay, type WaysToOffer } from "./key-question.ts"

const NOTHING: WaysToOffer = { accounts: [], more: [], enforced: undefined, present: undefined, initial: undefined }

const answerTo = (...entered: ReadonlyArray<LineResult | string>) =>
  Effect.gen(function* () {
    const room = yield* makeReplRoom
    yield* room.enter(...entered)
    const given = yield* Effect.provide(askWay("no key is set.", NOTHING), room.layer)
    return { given: Option.map(given, (way) => ("key" in way ? { ...way, key: Redacted.value(way.key) } : way)), room }
  })

describe("the question for a key", () => {
  it.effect("says why and the three ways, reads the key unseen, and asks where to keep it", () =>
    Effect.map(answerTo("1", " key-1 ", "1"), ({ given, room }) => {
      expect(given).toEqual(Option.some({ key: "key-1", isKept: true }))
      expect(room.printed[0]).toBe("no key is set.")
      expect(room.printed[1]).toContain("Vertex AI")
      expect(room.readings.map(({ isSecret }) => isSecret)).toEqual([false, true, false])
    })
  )

  it.effect("takes a key for the session only", () =>
    Effect.map(answerTo("1", "k", "2"), ({ given }) => expect(given).toEqual(Option.some({ key: "k", isKept: false })))
  )

  it.effect("asks again after what cannot be a key", () =>
    Effect.map(answerTo("1", "", "two words", "k", "2"), ({ given, room }) => {
      expect(given).toEqual(Option.some({ key: "k", isKept: false }))
      expect(room.printed.filter((line) => line.startsWith("That is no key"))).toHaveLength(2)
    })
  )

  it.effect("says what to set for the other ways", () =>
    Effect.gen(function* () {
      const vertex = yield* answerTo("2")
      expect(vertex.given).toEqual(Option.none())
      expect(vertex.room.printed.at(-1)).toContain("GOOGLE_GENAI_USE_VERTEXAI=true")
      expect((yield* answerTo("3")).room.printed.at(-1)).toContain("GOOGLE_GEMINI_BASE_URL")
    })
  )

  it.effect("offers more, and where one is enforced only that one", () =>
    Effect.gen(function* () {
      const room = yield* makeReplRoom
      yield* room.enter("1")
      const accounts = [{ value: "google", label: "Sign in with Google" }]
      const ways = { ...NOTHING, accounts, enforced: "oauth-personal" }
      const given = yield* Effect.provide(askWay(undefined, ways), room.layer)
      expect(given).toEqual(Option.some({ chosen: "google" }))
      expect(room.printed[0]).toContain("enforced")
      expect(room.printed[0]).not.toContain("Vertex")
    })
  )

  it.effect("marks the way in use, and Enter means the one that was wished for", () =>
    Effect.gen(function* () {
      const room = yield* makeReplRoom
      yield* room.enter("")
      const accounts = [{ value: "google", label: "Sign in with Google" }]
      const ways = { ...NOTHING, accounts, present: "gemini-api-key", initial: "oauth-personal" }
      expect(yield* Effect.provide(askWay(undefined, ways), room.layer)).toEqual(Option.some({ chosen: "google" }))
      expect(room.printed[0]).toContain("1. Sign in with Google\n  2. Use Gemini API Key  (in use)\n  3. Vertex AI")
    })
  )

  it.effect("can be left at every step", () =>
    Effect.gen(function* () {
      for (const entered of [["4"], [CTRL_D], ["1", CTRL_C], ["1", "k", CTRL_C]])
        expect((yield* answerTo(...entered)).given).toEqual(Option.none())
    })
  )
})
