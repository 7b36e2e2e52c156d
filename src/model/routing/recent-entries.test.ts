import { expect, test } from "bun:test"
import { FastCheck } from "effect"
import type { Content } from "../../protocol/content.ts"
import { stepsAround, wordsAround } from "./recent-entries.ts"

const user = (text: string): Content => ({ role: "user", parts: [{ text }] })
const model = (text: string): Content => ({ role: "model", parts: [{ text }] })
const calls: Content = { role: "model", parts: [{ functionCall: { name: "read_file", args: {} } }] }
const results: Content = { role: "user", parts: [{ functionResponse: { name: "read_file", response: {} } }] }
const request = [{ text: "now this" }]
const lines = (contents: ReadonlyArray<Content>) => contents.map(({ parts, role }) => `${role}: ${parts[0]?.text}`)

test("words: the last four entries that are not only tool traffic", () => {
  const history = [user("1"), model("2"), user("3"), calls, results, model("4"), user("5"), calls, results, model("6")]
  expect(lines(wordsAround(history, request))).toEqual(["user: 3", "model: 4", "user: 5", "model: 6", "user: now this"])
})

test("words: nothing older than twenty entries", () => {
  const history = [user("old"), ...Array.from({ length: 10 }, () => [calls, results]).flat()]
  expect(lines(wordsAround(history, request))).toEqual(["user: now this"])
})

test("steps: the last eight entries, from the first that is not only tool traffic", () => {
  const history = [user("1"), calls, results, calls, results, model("2"), user("3"), calls, results, model("4")]
  expect(lines(stepsAround(history, request))).toEqual([
    "user: 3",
    "model: [calls read_file]",
    "user: [result of read_file]",
    "model: 4",
    "user: now this"
  ])
  expect(
    lines(
      stepsAround(
        Array.from({ length: 8 }, () => results),
        request
      )
    )
  ).toEqual(["user: now this"])
})

test("long entries are cut in the middle", () => {
  const [only] = wordsAround([], [{ text: `begin${"x".repeat(100_000)}end` }])
  expect(only?.parts[0]?.text).toHaveLength(4_000 + "\n[...]\n".length)
  expect(only?.parts[0]?.text).toMatch(/^begin[\s\S]*end$/)
})

test("whatever the history, roles alternate, begin with the user and end with the request", () => {
  const entry = FastCheck.oneof(
    FastCheck.constantFrom(calls, results),
    FastCheck.record({
      role: FastCheck.constantFrom("user" as const, "model" as const),
      parts: FastCheck.array(FastCheck.record({ text: FastCheck.string() }), { maxLength: 2 })
    })
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.array(entry, { maxLength: 30 }), (history) => {
      for (const contents of [wordsAround(history, request), stepsAround(history, request)]) {
        expect(contents.map(({ role }) => role)).toEqual(
          contents.map((_, index) => (index % 2 === 0 ? "user" : "model"))
        )
        expect(contents.at(-1)?.parts[0]?.text).toEndWith("now this")
      }
    })
  )
})
