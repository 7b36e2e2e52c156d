import { expect, test } from "bun:test"
import { Either, Option } from "effect"
import type { McpPrompt } from "./listing.ts"
import { promptArguments, promptCommandName, promptHelp, promptText } from "./prompt.ts"

const prompt = (...names: ReadonlyArray<string>): McpPrompt => ({
  server: "s",
  name: " code  review ",
  description: "",
  arguments: names.map((name) => ({
    name: name.replace("?", ""),
    description: "",
    required: !name.endsWith("?")
  }))
})

test.each<[ReadonlyArray<string>, string, Record<string, string>]>([
  [[], "", {}],
  [["a"], "one two three", { a: "one two three" }],
  [["a", "b"], "one two", { a: "one", b: "two" }],
  [["a", "b"], "--a=1 two three", { a: "1", b: "two three" }],
  [["a", "b"], '--b="x \\"y\\" z" one', { a: "one", b: 'x "y" z' }],
  [["a", "b"], '"one word" two', { a: "one word", b: "two" }],
  [["a?", "b?"], "--b=2", { b: "2" }],
  [["a?"], "--unknown=5", { unknown: "5" }],
  [["a"], '--a=""', { a: "" }]
])("%j from %j", (names, typed, expected) =>
  expect(promptArguments(prompt(...names), typed)).toEqual(Either.right(expected))
)

test.each<[ReadonlyArray<string>, string, Array<string>]>([
  [["a"], "", ["a"]],
  [["a", "b", "c"], "one", ["b", "c"]],
  [["a", "b?"], "--b=1", ["a"]]
])("%j from %j lacks %j", (names, typed, missing) =>
  expect(Either.getOrThrow(Either.flip(promptArguments(prompt(...names), typed))).map(({ name }) => name)).toEqual(
    missing
  )
)

test("names and help", () => {
  expect(promptCommandName(prompt())).toBe("code-review")
  expect(promptHelp(prompt())).toBe("/code-review takes no arguments.")
  expect(promptHelp(prompt("a", "b?"))).toBe('Arguments of /code-review:\n  --a="..." (required)\n  --b="..."')
})

test("all texts are sent as they are", () => {
  const text = (value: string) => ({ role: "user", content: { type: "text", text: value } })
  expect(promptText({ messages: [text('say "hi"'), text("now")] })).toEqual(Option.some('say "hi"\n\nnow'))
  expect(promptText({ messages: [{ role: "user", content: { type: "image", data: "" } }] })).toEqual(Option.none())
  expect(promptText({ nothing: true })).toEqual(Option.none())
})
