import { expect, test } from "bun:test"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { userText } from "../protocol/content.ts"
import * as SpokenTurns from "./spoken-turns.ts"

const answer = (text: string) => ({ role: "model" as const, parts: [{ thought: true, text: "hm" }, { text }] })
const call = { role: "model" as const, parts: [{ functionCall: { name: "glob", args: { pattern: "*" } } }] }
const result = { role: "user" as const, parts: [{ functionResponse: { name: "glob", response: { output: "a" } } }] }

test("results of tools belong to the turn that asked for them, and thoughts to nobody", () => {
  expect(SpokenTurns.turnsOf([userText("one"), call, result, answer("done"), userText("two")])).toEqual([
    { user: { text: "one" }, model: { text: "done", toolCalls: [{ name: "glob", args: { pattern: "*" } }] } },
    { user: { text: "two" }, model: {} }
  ])
  expect(SpokenTurns.turnsOf([])).toEqual([])
})

it.effect("what is told of the conversation is what checkers read", () =>
  Effect.gen(function* () {
    const turns = yield* SpokenTurns.SpokenTurns
    const tell = turns.reader.onHistory ?? (() => Effect.void)
    yield* tell({ _tag: "Added", content: userText("one") })
    yield* tell({ _tag: "Added", content: answer("1") })
    expect(yield* turns.all).toEqual([{ user: { text: "one" }, model: { text: "1" } }])
    yield* tell({ _tag: "Shortened", contents: [userText("short")] })
    expect(yield* turns.all).toEqual([{ user: { text: "short" }, model: {} }])
  }).pipe(Effect.provide(SpokenTurns.layer))
)
