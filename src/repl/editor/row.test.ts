import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { row } from "./row.ts"

const shown = (marked: string, columns: number, prompt = "> ") => {
  const cursor = marked.indexOf("|")
  const line = row({ prompt, text: marked.replace("|", ""), cursor, columns, lineBreak: "↵" })
  return [line.text, line.cursor]
}

describe("the row", () => {
  const rows: ReadonlyArray<readonly [string, number, string, number]> = [
    ["|", 20, "> ", 2],
    ["hello|", 20, "> hello", 7],
    ["he|llo", 20, "> hello", 4],
    ["漢|字", 20, "> 漢字", 4],
    ["e\u0301|x", 20, "> e\u0301x", 3],
    ["one\ntwo|", 20, "> one↵two", 9],
    ["a\tb\u001b[2J|", 20, "> a b^[[2J", 10],
    ["\u202eabc|", 20, "> <U+202E>abc", 13],
    ["abcdefghijklmnop|", 12, "> <nop", 6],
    ["|abcdefghijklmnop", 12, "> abcdefgh>", 2],
    ["abcdefghijk|lmnop", 12, "> <fghijkl>", 9]
  ]
  for (const [marked, columns, text, cursor] of rows) {
    test(`${JSON.stringify(marked)} in ${columns}`, () => expect(shown(marked, columns)).toEqual([text, cursor]))
  }

  test("is never wider than the window, shows the cursor, and is stable while a key is added at its end", () => {
    const text = FastCheck.array(FastCheck.constantFrom("a", "b", "漢", "👨‍👩‍👧", "e\u0301", "\n", "\u0007"), {
      maxLength: 120
    })
    FastCheck.assert(
      FastCheck.property(text, FastCheck.nat(), FastCheck.integer({ min: 12, max: 60 }), (parts, seed, columns) => {
        const at = seed % (parts.length + 1)
        const cursor = parts.slice(0, at).join("").length
        const line = row({ prompt: "> ", text: parts.join(""), cursor, columns, lineBreak: "↵" })
        const width = Bun.stringWidth(line.text)
        expect(width).toBeLessThanOrEqual(columns - 1)
        expect(line.cursor).toBeGreaterThanOrEqual(2)
        expect(line.cursor).toBeLessThanOrEqual(width)
      })
    )
  })

  test("a text of a megabyte is looked at only near the cursor", () => {
    const [text] = shown(`${"x".repeat(500_000)}|${"y".repeat(500_000)}`, 40)
    expect(text).toMatch(/^> <x+y+>$/)
  })
})
