import { describe, expect, test } from "bun:test"
import { Effect, Option } from "effect"
import { it } from "../../test/kit/it.ts"
import { CTRL_C, CTRL_D, ESC, makeReplRoom } from "../../test/kit/repl-room.ts"
import { type Asked, ask, choiceOf } from "./ask.ts"
import type { LineResult } from "./editor/line-editor.ts"

const choices = [
  { value: "a", label: "First" },
  { value: "b", label: "Second", hint: "the other" }
]

const WORDS = "word ".repeat(20).trim()

const answerTo = (asked: Asked, ...entered: ReadonlyArray<LineResult | string>) =>
  Effect.gen(function* () {
    const room = yield* makeReplRoom
    yield* room.enter(...entered)
    const answer = yield* Effect.provide(ask(asked), room.layer)
    return { answer, room }
  })

test.each([
  ["1", "a"],
  ["2", "b"],
  ["B", "b"],
  ["second", "b"],
  ["3", undefined],
  ["0", undefined],
  ["", undefined],
  ["1x", undefined]
])("%j chooses %j", (typed, value) => expect(choiceOf(choices, typed)?.value).toBe(value))

test.each([
  ["y", "keep"],
  ["YES", "keep"],
  ["n", "session"],
  ["no", "session"],
  ["nothing", undefined],
  ["yes please", undefined]
])("%j means %j where the choices say yes and no", (typed, value) => {
  const answers = [
    { value: "keep", label: "Yes, in the key store" },
    { value: "session", label: "No, for this session" },
    { value: "not", label: "Nothing of this" }
  ]
  expect(choiceOf(answers, typed)?.value).toBe(value)
})

describe("a question", () => {
  it.effect("shows its choices with numbers, after forgetting what was typed before", () =>
    Effect.gen(function* () {
      const { answer, room } = yield* answerTo({ text: "Which?", choices }, "2")
      expect(answer).toEqual(Option.some("b"))
      expect(room.printed).toEqual(["Which?\n  1. First\n  2. Second  (the other)"])
      expect(room.log).toEqual(["discard"])
    })
  )

  it.effect("is asked again until an answer fits; Enter alone is none", () =>
    Effect.gen(function* () {
      const { answer, room } = yield* answerTo({ text: "Which?", choices }, "", "7", "yes", "1")
      expect(answer).toEqual(Option.some("a"))
      expect(room.printed.slice(1)).toEqual(Array(3).fill("Please answer with a number from 1 to 2."))
    })
  )

  it.effect("that is optional is left by Enter alone, and says so", () =>
    Effect.gen(function* () {
      const { answer, room } = yield* answerTo({ text: "Which?", choices, isOptional: true }, "7", "")
      expect(answer).toEqual(Option.none())
      expect(room.readings[0]?.prompt()).toBe("? 1-2 (Enter: leave it): ")
    })
  )

  it.effect("is left to the terminal to wrap", () =>
    Effect.map(answerTo({ text: WORDS, choices: [{ value: "a", label: WORDS }] }, "1"), ({ room }) =>
      expect(room.printed[0]?.split("\n")).toEqual([WORDS.trim(), `  1. ${WORDS}`])
    )
  )

  for (const key of [CTRL_C, CTRL_D, ESC]) {
    it.effect(`has no answer after ${key._tag}`, () =>
      Effect.map(answerTo({ text: "Which?", choices }, key), ({ answer }) => expect(answer).toEqual(Option.none()))
    )
  }

  it.effect("may take other words", () =>
    Effect.map(answerTo({ text: "Which?", choices, takesOther: true }, "", " neither "), ({ answer }) =>
      expect(answer).toEqual(Option.some("neither"))
    )
  )

  it.effect("keeps a secret to itself", () =>
    Effect.map(answerTo({ text: "Key?", choices: [], isSecret: true }, " s "), ({ answer, room }) => {
      expect(answer).toEqual(Option.some(" s "))
      expect(room.readings[0]?.isSecret).toBe(true)
    })
  )

  it.effect("cannot be rewritten by the text in it", () =>
    Effect.map(answerTo({ text: "a\u001b[2Jb", choices: [{ value: "x", label: "ok\rno" }] }, "1"), ({ room }) =>
      expect(room.printed).toEqual(["a^[[2Jb\n  1. ok^Mno"])
    )
  )
})
