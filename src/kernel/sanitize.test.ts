import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { makeSanitizer, stripAnsi } from "./sanitize.ts"

const inPieces = (text: string, size: number): string => {
  const sanitizer = makeSanitizer()
  let shown = ""
  for (let at = 0; at < text.length; at += size) shown += sanitizer.push(text.slice(at, at + size))
  return shown + sanitizer.end()
}

test("sequences are removed however the text is cut", () => {
  const text =
    "a\u001b[31mred\u001b[0m \u001b]0;title\u0007b \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u001b(B\u001b7end"
  for (let size = 1; size <= text.length; size++) expect(inPieces(text, size)).toBe("ared b link end")
})

test("plain text passes at once", () => {
  const sanitizer = makeSanitizer()
  expect(sanitizer.push("hello\tworld\r\n")).toBe("hello\tworld\r\n")
})

test("an unfinished sequence is neither shown nor kept for ever", () => {
  expect(inPieces("text\u001b[3", 100)).toBe("text")
  const sanitizer = makeSanitizer()
  const shown = sanitizer.push(`x\u001b]0;${"y".repeat(10_000)}`) + sanitizer.push("after")
  expect(shown).not.toContain("\u001b")
})

test("no escape character survives, whatever comes in whichever pieces", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom("\u001b", "[", "]", "31m", "\u0007", "\\", "P", "\u001b[2J", "\u009b")
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const sanitizer = makeSanitizer()
      const shown = pieces.map(sanitizer.push).join("") + sanitizer.end()
      expect(shown).not.toContain("\u001b")
    })
  )
})

test("text without escapes is kept to the letter", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (pieces) => {
      const plain = pieces.map((piece) => stripAnsi(piece))
      const sanitizer = makeSanitizer()
      expect(plain.map(sanitizer.push).join("") + sanitizer.end()).toBe(plain.join(""))
    })
  )
})
