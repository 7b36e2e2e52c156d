import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { print, printMarkdown } from "../slash/command.ts"
import { printedText, wrapped } from "./printed-text.ts"
import { plainStyle } from "./terminal/terminal-features.ts"

describe("plain text", () => {
  test.each([
    ["short", 20, "short"],
    ["one two three four", 10, "one two\nthree four"],
    ["  /help   What can be typed", 20, "  /help   What can\n          be typed"],
    ["  /a-very-long-name  short words", 20, "  /a-very-long-name\n      short words"],
    ["see https://example.com/a/long/path now", 20, "see\nhttps://example.com/a/long/path\nnow"],
    ["日本語 テキスト", 8, "日本語\nテキスト"]
  ])("%j in %i columns", (text, columns, expected) =>
    expect(wrapped(text, { columns, wrapsHard: true })).toBe(expected)
  )

  test("no line is wider than the window where the words are not, and no word is lost", () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), fc.integer({ min: 12, max: 80 }), (words, columns) => {
        const text = wrapped(words.join(" "), { columns, wrapsHard: true })
        for (const line of text.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns)
        expect(text.replace(/\s/g, "")).toBe(words.join(""))
      })
    )
  })

  test("acts on nothing", () => expect(printedText(print("a\u001b[2Jb"), plainStyle, 80)).toBe("a^[[2Jb"))

  test("data stays on its lines", () => {
    const data = { ...print('{ "text": "one two three four" }\u009b2J'), format: "data" } as const
    expect(printedText(data, plainStyle, 10)).toBe('{ "text": "one two three four" }<U+009B>2J')
  })
})

test("markdown is rendered, and acts on nothing", () => {
  const text = printedText(printMarkdown("# Title\n\n- one\u001b[2J\n- two"), { ...plainStyle, colors: true }, 80)
  expect(text).toContain("Title")
  expect(text).not.toContain("# Title")
  expect(text).not.toContain("[2J")
})
