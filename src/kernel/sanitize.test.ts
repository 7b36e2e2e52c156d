import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { makeSanitizer, stripAnsi } from "./sanitize.ts"

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
const INTRODUCERS = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom(
        "\u001b",
        "[",
        "]",
        "31m",
        "\u0007",
        "\\",
        "P",
        "\u001b[2J",
        "\u009b",
        "\u009d",
        "\u0090",
        "\u0098",
        "\u009e",
        "\u009f",
        "\u009c"
      )
    ),
    { maxLength: 20 }
  )
  .map((pieces) => pieces.join(""))

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

test("eight-bit forms are sequences as well", () => {
  const text = "a\u009b2Jb\u009d0;title\u009cc\u0090q\u001b\\d\u009fx\u0007e\u0098y\u009cf\u009ez\u009cg"
  for (let size = 1; size <= text.length; size++) expect(inPieces(text, size)).toBe("abcdefg")
  expect(stripAnsi(text)).toBe("abcdefg")
})

test("what one removal leaves on both sides is no sequence", () => {
  expect(stripAnsi("\u001b\u001b[31m[2J")).toBe("[2J")
  expect(stripAnsi("\u009b\u001b]0;x\u0007\u4e00")).not.toMatch(INTRODUCERS)
  fc.assert(fc.property(hostile, (text) => expect(stripAnsi(text)).not.toMatch(INTRODUCERS)))
})

test("a text made of beginnings takes no longer than its length", () => {
  const beginnings = "\u001b]".repeat(200_000)
  expect(stripAnsi(beginnings)).toBe("]".repeat(200_000))
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

test("nothing that begins a sequence survives, whatever comes in whichever pieces", () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 1, max: 5 }), (text, size) => {
      expect(inPieces(text, size)).not.toMatch(INTRODUCERS)
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
