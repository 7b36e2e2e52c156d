import { expect, test } from "bun:test"
import { FastCheck } from "effect"
import { codeRegions } from "./code-regions.ts"

const codeIn = (text: string): ReadonlyArray<string> =>
  codeRegions(text).map(({ end, start }) => text.slice(start, end))

test.each<[string, string, ReadonlyArray<string>]>([
  ["nothing", "plain text", []],
  ["a span", "a `b` c", ["`b`"]],
  ["a span with a backtick inside", "``a ` b`` c", ["``a ` b``"]],
  ["a span over a line end", "`a\nb` c", ["`a\nb`"]],
  ["no span over an empty line", "`a\n\nb` c", []],
  ["a backtick alone", "it`s", []],
  ["two paragraphs, each its own", "`a` x\n\n`b`", ["`a`", "`b`"]],
  ["a fence", "x\n```ts\ncode\n```\ny", ["```ts\ncode\n```\n"]],
  ["a longer fence around a shorter one", "````\n```\n````\nz", ["````\n```\n````\n"]],
  ["tildes", "~~~\n`\n~~~\n`a`", ["~~~\n`\n~~~\n", "`a`"]],
  ["a fence to the end", "```\nx", ["```\nx"]],
  ["three backticks in a line are a span", "```a``` b", ["```a```"]],
  ["Windows line ends", "```\r\nx\r\n```\r\ny", ["```\r\nx\r\n```\r\n"]]
])("%s", (_, text, expected) => {
  expect(codeIn(text)).toEqual(expected)
})

test("regions are in order, apart, and inside the text", () => {
  const pieces = FastCheck.constantFrom("`", "``", "```", "~~~", "\n", "\n\n", "a", " ", "@x.md")
  FastCheck.assert(
    FastCheck.property(FastCheck.array(pieces, { maxLength: 60 }), (parts) => {
      const text = parts.join("")
      let last = 0
      for (const { end, start } of codeRegions(text)) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        last = end
      }
      expect(last).toBeLessThanOrEqual(text.length)
    })
  )
})
