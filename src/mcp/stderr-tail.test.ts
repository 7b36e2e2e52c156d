import { expect, test } from "bun:test"
import { stderrTail } from "./stderr-tail.ts"

const lastWords = (...chunks: ReadonlyArray<string>): string => {
  const tail = stderrTail()
  for (const chunk of chunks) tail.add(new TextEncoder().encode(chunk))
  return tail.lastWords()
}

test.each<[string, ReadonlyArray<string>, string]>([
  ["nothing", [], ""],
  ["one line in pieces", ["it is ", "over\n"], "it is over"],
  ["a stack trace", ["Error: no key\n    at a (x.js:1)\n    at b (y.js:2)\n"], "Error: no key"],
  ["no word of failure: the last line", ["starting\nready\n"], "ready"],
  ["colours and bells", ["\u001b[31mError:\u001b[0m bad\u0007 key\n"], "Error: bad key"],
  [
    "the way to a log",
    ["npm error 404 Not Found\nnpm error A complete log of this run can be found in: /x\n"],
    "npm error 404 Not Found"
  ]
])("%s", (_, chunks, expected) => expect(lastWords(...chunks)).toBe(expected))

test("only the end of a flood is kept", () => {
  expect(lastWords("Error: first\n", "x\n".repeat(100_000), "Error: last\n")).toBe("Error: last")
  expect(lastWords("Error: first\n", ...Array.from({ length: 100 }, () => `${"y".repeat(99)}\n`))).toBe("y".repeat(99))
})
