import { expect, test } from "bun:test"
import { Either, Option } from "effect"
import { plainHead, splitFrontMatter, tolerantHead } from "./front-matter.ts"

test.each<[string, string, { readonly head: ReadonlyArray<string>; readonly body: string }]>([
  ["a head and a body", "---\nname: a\n---\n\nDo it.\n", { head: ["name: a"], body: "Do it." }],
  [
    "other line ends and a byte order mark",
    "\ufeff---\r\nname: a\r\n---\r\nx\r\ny",
    { head: ["name: a"], body: "x\ny" }
  ],
  ["no body", "---\nname: a\n---", { head: ["name: a"], body: "" }],
  ["a line in the body", "---\nname: a\n---  \nx\n---\ny", { head: ["name: a"], body: "x\n---\ny" }]
])("%s", (_, text, expected) => expect(Either.getOrThrow(splitFrontMatter(text))).toEqual(expected))

test.each([
  ["# A skill\n", "it does not begin with a line of ---"],
  ["", "it does not begin with a line of ---"],
  ["\n---\nname: a\n---\n", "it does not begin with a line of ---"],
  ["---\nname: a\n", "is not closed by another"]
])("%j is refused", (text, detail) => {
  const fault = Either.getOrThrow(Either.flip(splitFrontMatter(text)))
  expect(fault.line).toBe(1)
  expect(fault.detail).toContain(detail)
})

test.each<[string, ReadonlyArray<string>, Readonly<Record<string, string>> | undefined]>([
  [
    "plain words",
    ["name: a-b", "description: Does it (well), now!"],
    { name: "a-b", description: "Does it (well), now!" }
  ],
  ["comments and empty lines", ["# x", "", "name: a"], { name: "a" }],
  ["quotes", ['name: "a"'], undefined],
  ["a colon", ["description: Use this: now"], undefined],
  ["a comment behind it", ["name: a # b"], undefined],
  ["a number", ["name: 5"], undefined],
  ["a word that is a truth value", ["name: True"], undefined],
  ["a block", ["description: |", "  x"], undefined],
  ["a line that goes on", ["description: x", "  y"], undefined],
  ["a name twice", ["name: a", "name: b"], undefined],
  ["nothing behind the colon", ["name:"], undefined]
])("a head with %s", (_, lines, expected) =>
  expect(Option.getOrUndefined(Option.map(plainHead(lines), Object.fromEntries))).toEqual(expected as never)
)

test.each<[string, ReadonlyArray<string>, Readonly<Record<string, string>>]>([
  ["colons in a value", ["name: a", "description: Use this: now"], { name: "a", description: "Use this: now" }],
  [
    "lines that go on",
    ["description: one", "  two", "\tthree", "name: a"],
    { description: "one two three", name: "a" }
  ],
  ["quotes around a value", ["name: 'a'"], { name: "a" }],
  ["the first of two", ["name: a", "  b", "name: c", "  d"], { name: "a b" }],
  ["what is no head", ["hello", "  x"], {}]
])("tolerantly: %s", (_, lines, expected) => expect(Object.fromEntries(tolerantHead(lines))).toEqual(expected))
