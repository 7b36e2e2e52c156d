import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { decodeText, type Encoding, encodeText, newlineOf, unencodable } from "./text-encoding.ts"

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)
const ALL: ReadonlyArray<Encoding> = ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"]

test.each<[string, Uint8Array, string, Encoding, boolean]>([
  ["nothing", bytes(), "", "utf-8", false],
  ["plain UTF-8", bytes(0xc3, 0xa9), "é", "utf-8", false],
  ["UTF-8 with a mark", bytes(0xef, 0xbb, 0xbf, 0x61), "a", "utf-8", true],
  ["UTF-16LE", bytes(0xff, 0xfe, 0xe9, 0x00), "é", "utf-16le", true],
  ["UTF-16BE", bytes(0xfe, 0xff, 0x00, 0xe9), "é", "utf-16be", true],
  ["UTF-32LE before UTF-16LE", bytes(0xff, 0xfe, 0, 0, 0x00, 0xf6, 0x01, 0x00), "\u{1f600}", "utf-32le", true],
  ["UTF-32BE", bytes(0, 0, 0xfe, 0xff, 0x00, 0x01, 0xf6, 0x00), "\u{1f600}", "utf-32be", true],
  ["latin-1", bytes(0x63, 0xe9), "cé", "windows-1252", false],
  ["the upper half of Windows-1252", bytes(0x80, 0x81), "€\u0081", "windows-1252", false]
])("%s is decoded", (_, input, text, encoding, hasBom) => {
  expect(decodeText(input)).toEqual({ text, format: { encoding, hasBom }, isLossless: true })
})

test("a torn unit and a code point out of range are marked as lost", () => {
  expect(decodeText(bytes(0xff, 0xfe, 0x61, 0x00, 0x62))).toMatchObject({ text: "a\ufffd", isLossless: false })
  expect(decodeText(bytes(0xff, 0xfe, 0, 0, 0xff, 0xff, 0xff, 0xff))).toMatchObject({
    text: "\ufffd",
    isLossless: false
  })
  expect(decodeText(bytes(0xff, 0xfe, 0, 0, 0x00, 0xd8, 0, 0))).toMatchObject({ text: "\ufffd", isLossless: false })
})

test("any bytes that were decoded without loss are encoded to the same bytes", () => {
  fc.assert(
    fc.property(fc.constantFrom(null, ...ALL), fc.uint8Array({ maxLength: 64 }), (mark, body) => {
      const prefix = mark === null ? bytes() : (encodeText("", { encoding: mark, hasBom: true }) ?? bytes())
      const input = Buffer.concat([prefix, body])
      const { format, isLossless, text } = decodeText(input)
      if (isLossless) expect(Buffer.from(encodeText(text, format) ?? [])).toEqual(input)
    }),
    { numRuns: 3000 }
  )
})

test("any text comes back from every encoding that can hold it", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ALL), fc.string({ unit: "binary" }), (encoding, text) => {
      const encoded = encodeText(text, { encoding, hasBom: true })
      expect(encoded === null).toBe(unencodable(text, encoding) !== undefined)
      if (encoded !== null) expect(decodeText(encoded).text).toBe(text)
    }),
    { examples: [["utf-16le", "\0a"]], numRuns: 2000 }
  )
})

test("UTF-16LE that begins with U+0000 would be read as UTF-32LE, and is refused", () => {
  expect(encodeText("\0a", { encoding: "utf-16le", hasBom: true })).toBeNull()
  expect(unencodable("\0a", "utf-16le")).toBe("\0")
  expect(unencodable("a\0", "utf-16le")).toBeUndefined()
})

test("all 256 bytes survive Windows-1252", () => {
  const input = Uint8Array.from({ length: 256 }, (_, index) => index)
  const { format, text } = decodeText(input)
  expect(format.encoding).toBe("windows-1252")
  expect(encodeText(text, format)).toEqual(input)
})

test("a character that the encoding lacks is named", () => {
  expect(encodeText("a→b", { encoding: "windows-1252", hasBom: false })).toBeNull()
  expect(unencodable("a→b", "windows-1252")).toBe("→")
  expect(unencodable("a\ud800", "utf-8")).toBe("\ud800")
  expect(unencodable("a→b", "utf-8")).toBeUndefined()
})

test.each([
  ["", "\n", false],
  ["a\nb\n", "\n", false],
  ["a\r\nb\r\n", "\r\n", false],
  ["a\r\nb\n", "\r\n", true],
  ["\na\r\n", "\r\n", true]
] as const)("line ends of %j", (text, newline, isMixed) => {
  expect(newlineOf(text)).toEqual({ newline, isMixed })
})
