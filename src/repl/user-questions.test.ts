import { describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { it } from "../../test/kit/it.ts"
import { CTRL_C, makeReplRoom } from "../../test/kit/repl-room.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { type Question, UserQuestions } from "../tools/user-questions.ts"
import type { LineResult } from "./editor/line-editor.ts"
import { layer, reviewOf, severalOf } from "./user-questions.ts"

const question = (change: Partial<Question>): Question => ({
  question: "Which database?",
  header: "Database",
  type: "choice",
  options: [
    { label: "SQLite", description: "one file" },
    { label: "Postgres", description: "a server" }
  ],
  multiSelect: false,
  ...change
})

const answersTo = (questions: ReadonlyArray<Question>, ...entered: ReadonlyArray<LineResult | string>) =>
  Effect.gen(function* () {
    const room = yield* makeReplRoom
    yield* room.enter(...entered)
    return yield* Effect.flatMap(UserQuestions, ({ ask }) => ask(questions)).pipe(
      Effect.provide(Layer.provide(layer, room.layer))
    )
  })

describe("questions of tools", () => {
  it.effect("are answered by number, by name or in own words", () =>
    Effect.gen(function* () {
      expect(yield* answersTo([question({})], "2")).toEqual(["Postgres"])
      expect(yield* answersTo([question({})], "sqlite")).toEqual(["SQLite"])
      expect(yield* answersTo([question({})], "neither, use files")).toEqual(["neither, use files"])
      expect(yield* answersTo([question({ type: "yesno", options: [] })], "1")).toEqual(["Yes"])
      expect(yield* answersTo([question({ type: "text", options: [] })], " free ")).toEqual(["free"])
    })
  )

  it.effect("may have several answers", () =>
    Effect.map(answersTo([question({ multiSelect: true })], "2, 1, other"), (answers) =>
      expect(answers).toEqual(["Postgres, SQLite, other"])
    )
  )

  it.effect("are asked in order, and turning away from one answers none", () =>
    Effect.gen(function* () {
      const two = [question({}), question({ type: "text", options: [] })]
      expect(yield* answersTo(two, "1", "why")).toEqual(["SQLite", "why"])
      expect(yield* answersTo(two, "1", CTRL_C)).toBeNull()
    })
  )

  test("numbers of a list are read one by one", () =>
    expect(severalOf([{ value: "a", label: "A" }], "1,x,,2")).toBe("a, x, 2"))
})

describe("the review of a plan", () => {
  test.each([
    ["auto_edit", { approved: true, mode: "auto_edit" }],
    ["default", { approved: true, mode: "default" }],
    ["no", { approved: false }],
    ["do it in two steps", { approved: false, feedback: "do it in two steps" }]
  ] as const)("%s", (answer, review) => expect(reviewOf(answer)).toEqual(review))

  it.effect("shows the plan first, and turning away is no agreement", () =>
    Effect.gen(function* () {
      const file = `${yield* tempFolder({ "plan.md": "# Plan\n1. \u001b[2Jstep" })}/plan.md`
      const room = yield* makeReplRoom
      yield* room.enter(CTRL_C)
      const review = yield* Effect.flatMap(UserQuestions, ({ reviewPlan }) => reviewPlan(file)).pipe(
        Effect.provide(Layer.provide(layer, room.layer))
      )
      expect(review).toEqual({ approved: false })
      expect(room.printed[0]).toBe("# Plan\n1. ^[[2Jstep")
    })
  )
})
