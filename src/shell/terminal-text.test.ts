/** What a screen would show. */
import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { terminalText } from "./terminal-text.ts"

const cases: ReadonlyArray<readonly [name: string, bytes: string, text: string]> = [
  ["plain lines", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["a progress line keeps its last state", "10%\r50%\r100%\r\ndone", "100%\ndone"],
  ["a shorter text over a longer one leaves the rest, as a screen does", "longer\rab", "abnger"],
  ["erase to the end of the line", "longer\rab\x1b[K", "ab"],
  ["erase the line", "abc\x1b[2K\rx", "x"],
  ["erase up to the cursor", "abcdef\x1b[3D\x1b[1K", "    ef"],
  ["colours and styles vanish", "\x1b[1;31mred\x1b[0m plain", "red plain"],
  ["titles and links vanish", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"],
  ["backspace goes back", "abX\bc", "abc"],
  ["cursor up rewrites a line", "one\r\ntwo\r\n\x1b[2A\x1b[KONE\r\n", "ONE\ntwo\n"],
  ["cursor to a column", "abc\x1b[2Gx", "axc"],
  ["forward over nothing leaves blanks", "a\x1b[3Cb", "a   b"],
  ["home and clear", "old\r\n\x1b[2J\x1b[Hnew", "new\n"],
  ["erase below", "a\r\nb\r\nc\x1b[2A\r\x1b[Jx", "x"],
  ["a position outside the screen stays on it", "\x1b[99;3Hx", `${"\n".repeat(29)}  x`],
  ["a bell and other controls vanish", "a\x07b\x0fc", "abc"],
  ["blanks at the end of lines vanish", "a   \r\nb", "a\nb"],
  ["an escape without an end vanishes", "a\x1b[", "a"],
  ["tabs at the end of a line stay", "a\tb", "a\tb"]
]

for (const [name, bytes, text] of cases) test(name, () => expect(terminalText(bytes)).toBe(text))

test("text without control characters is itself, but for blanks at its end", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-zäß€😀 ]{0,20}$/u), { minLength: 1, maxLength: 50 }), (lines) => {
      const trimmed = lines.map((line) => line.trimEnd())
      expect(terminalText(lines.join("\r\n"))).toBe(trimmed.join("\n"))
    })
  )
})

test("no bytes make it fail or leave an escape", () => {
  const soup = fc.array(
    fc.constantFrom("\x1b", "[", "]", "A", "H", "J", "K", "9", ";", "\r", "\n", "\b", "x", "\x07", "€"),
    {
      maxLength: 200
    }
  )
  fc.assert(
    fc.property(soup, (parts) => expect(terminalText(parts.join("")).replaceAll("\n", "")).not.toMatch(/\p{Cc}/u))
  )
})

test("a line of megabytes with a colour for each word takes no quadratic time", () => {
  const words = "\x1b[31mword\x1b[0m ".repeat(200_000)
  expect(terminalText(words).length).toBe(200_000 * 5 - 1)
})
