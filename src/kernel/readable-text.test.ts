import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { jsonText, makeReadableStream, readableLine, readableText, styledText } from "./readable-text.ts"

/** All that a terminal may get beside printable characters. */
const ACTING =
  /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u061c\u2060\ufeff\u00ad]/u

/** An escape that neither paints nor begins, ends or closes a link. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
const FOREIGN = /\u001b(?!\[[\d;]*m|\]8;;[!-~]*\u001b\\|\\)/

const piece = fc.oneof(
  fc.fullUnicodeString({ maxLength: 4 }),
  fc.string16bits({ maxLength: 3 }),
  fc.constantFrom(
    "\u001b[2J",
    "\u001b[31m",
    "\u001b]52;c;ZXZpbA==\u0007",
    "\u001b]8;;https://evil.example\u001b\\",
    "\u001bPq\u001b\\",
    "\u009b8m",
    "\r",
    "\n",
    "\b",
    "\u0007",
    "\u202e",
    "\u200d",
    "\u200c",
    "\u200b",
    "\ufe0f",
    "\u{e0041}",
    "\u{e007f}",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "👩",
    "1\ufe0f\u20e3",
    "\ud83d",
    "می",
    "क्",
    "葛\u{e0100}"
  )
)
const hostile = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(""))

describe("text that is read", () => {
  test.each([
    ["a\r\nb\rc", "a\nb\nc"],
    ["a\u0008\u0007b\u007fc\u0000", "abc"],
    ["a\vb\fc\u0085d\u2028e\u2029f", "a\nb\nc\nd\ne\nf"],
    ["a\u001b[2J\u001b[31mb\u001b]52;c;eA==\u0007c\u009b8md", "abcd"],
    ["abc\u202edef\u2066g", "abc<U+202E>def<U+2066>g"],
    ["a\u200bb\u2060c\ufeffd\u00ade\u200ef\u200fg\u061ch", "abcdefgh"],
    ["a\u{e0068}\u{e0069}b\ufe0fc\u{e0123}d\u3164e", "abcde"],
    ["lone \ud800 and \udc00", "lone \ufffd and \ufffd"],
    ["a\tb", "a\tb"],
    ["👩\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 👍🏽", "👩\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 👍🏽"],
    [
      "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
      "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"
    ],
    ["🏴\u{e0068}\u{e0069}\u{e007f}", "🏴"],
    ["نمی\u200cخواهم שלום नमस्ते क्\u200dष", "نمی\u200cخواهم שלום नमस्ते क्\u200dष"],
    ["葛\u{e0100}飾区", "葛\u{e0100}飾区"],
    ["e\u0301 a\u0308\u0323", "e\u0301 a\u0308\u0323"],
    ["smile 😀\ufe0f\ufe0f\ufe0f\ufe00", "smile 😀\ufe0f"]
  ])("%j reads %j", (text, shown) => expect(readableText(text)).toBe(shown))

  test("nothing in the result acts on a terminal, and cleaning it again changes nothing", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const clean = readableText(text)
        expect(clean).not.toMatch(ACTING)
        expect(readableText(clean)).toBe(clean)
      }),
      { numRuns: 2_000 }
    )
  })

  test("words in any script are kept to the letter", () => {
    const seen = fc
      .fullUnicodeString()
      .map((text) => text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, ""))
    fc.assert(fc.property(seen, (text) => expect(readableText(text)).toBe(text)))
  })

  test("a line has no breaks", () => expect(readableLine(" a\r\nb\u2028\tc\u0007 ")).toBe("a b c"))
})

describe("text in pieces", () => {
  const inPieces = (text: string, cuts: ReadonlyArray<number>): string => {
    const stream = makeReadableStream()
    let shown = ""
    let at = 0
    for (const cut of cuts) {
      shown += stream.push(text.slice(at, at + cut))
      at += cut
    }
    return shown + stream.push(text.slice(at)) + stream.end()
  }

  test("is cleaned as if it came at once", () => {
    fc.assert(
      fc.property(hostile, fc.array(fc.nat(3), { maxLength: 40 }), (text, cuts) => {
        expect(inPieces(text, cuts)).toBe(readableText(text))
      }),
      { numRuns: 3_000 }
    )
  })

  test("keeps a joiner before a flag whose end is not there yet", () => {
    const text = "👩\u200d\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"
    expect(readableText(text)).toBe(text)
    for (let one = 0; one <= text.length; one += 1) {
      for (let two = 0; two <= text.length; two += 1) expect(inPieces(text, [one, two])).toBe(text)
    }
  })

  test("is shown as it comes", () => {
    const stream = makeReadableStream()
    expect(stream.push("hello ")).toBe("hello ")
    expect(stream.push("wörld 👩")).toBe("wörld 👩")
    expect(stream.push("\u200d")).toBe("")
    expect(stream.push("\ud83d")).toBe("")
    expect(stream.push("\udcbb!")).toBe("\u200d💻!")
    expect(stream.end()).toBe("")
  })
})

describe("text composed for the screen", () => {
  const bold = "\u001b[1mbold\u001b[22m \u001b[31;4mred\u001b[39;24m"
  const link = "\u001b]8;;https://example.org/a?b=c\u001b\\words\u001b]8;;\u001b\\"

  test("keeps the colours and links of this program", () => {
    expect(styledText(bold)).toBe(bold)
    expect(styledText(link)).toBe(link)
  })

  test.each([
    ["hides", "a\u001b[8mb\u001b[0m", "ab\u001b[0m"],
    ["inverts", "a\u001b[7mb", "ab"],
    ["paints the background", "a\u001b[41mb\u001b[48;5;1mc\u001b[38;2;0;0;0md", "abcd"],
    ["moves", "a\u001b[2J\u001b[H\u001b[1Ab", "ab"],
    ["links to a program", "\u001b]8;;file:///etc/passwd\u001b\\a", "a"],
    ["goes back", "a\rb\bc", "a\nbc"]
  ])("loses what %s", (_, text, shown) => expect(styledText(text)).toBe(shown))

  test("has nothing else that acts", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const styled = styledText(text)
        expect(styled).not.toMatch(FOREIGN)
        expect(readableText(styled)).not.toMatch(ACTING)
        expect(styledText(styled)).toBe(styled)
      }),
      { numRuns: 2_000 }
    )
  })
})

test("json passes the cleaner as it is, and means the same", () => {
  fc.assert(
    fc.property(hostile, hostile, (key, text) => {
      const json = jsonText({ [key]: [text], n: 1 }, 2)
      expect(readableText(json)).toBe(json)
      // Halves of characters are no text, in JSON neither.
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ [key]: [text], n: 1 })))
    }),
    { numRuns: 1_000 }
  )
  expect(jsonText("é 漢 👩\u200d💻 \u202e\u009b")).toBe('"é 漢 👩\u200d💻 \\u202e\\u009b"')
})
