import { describe, expect, test } from "bun:test"
import { Effect, Either } from "effect"
import { encodeText } from "../files/text-encoding.ts"
import { contentLimit, MEDIA_LIMIT_BYTES, stdinContent, TEXT_LIMIT_BYTES } from "./stdin-content.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const contentOf = (input: Uint8Array) => Effect.runSync(stdinContent(input))
const refusalOf = (input: Uint8Array) => Effect.runSync(Effect.either(Effect.map(stdinContent(input), () => "taken")))

const FLAWED = ["Standard input is not valid UTF-8: unreadable bytes were replaced"]
const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(100)])

describe("text", () => {
  test.each<[string, Uint8Array, string, ReadonlyArray<string>]>([
    ["plain", bytes("grüße 🎉\n"), "grüße 🎉\n", []],
    ["with a byte order mark", Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), "a", []],
    ["cut in a character", bytes("grüße 🎉").subarray(0, -1), "grüße \ufffd", FLAWED],
    ["UTF-16", encodeText("grüße", { encoding: "utf-16le", hasBom: true }) ?? bytes(""), "grüße", []],
    ["UTF-32", encodeText("grüße", { encoding: "utf-32be", hasBom: true }) ?? bytes(""), "grüße", []]
  ])("%s", (_, input, text, notes) => expect(contentOf(input)).toEqual({ text, truncated: false, notes }))

  test.each([0, 1, 2, 3, 4])(
    "a character of four bytes that starts %d before the limit is kept whole or dropped",
    (before) => {
      const start = TEXT_LIMIT_BYTES - before
      const { text, notes, truncated } = contentOf(Buffer.concat([Buffer.alloc(start, "x"), bytes("🎉🎉")]))
      expect(truncated).toBe(true)
      expect(text.slice(start - 1)).toBe(before === 4 ? "x🎉" : "x")
      expect(notes).toEqual(["Standard input is longer than 8 MiB: what lies beyond was dropped"])
    }
  )

  test("exactly the limit is not too long", () => {
    expect(contentOf(Buffer.alloc(TEXT_LIMIT_BYTES, "x")).truncated).toBe(false)
  })
})

test("media are attached as what they are", () => {
  expect(contentOf(PNG)).toEqual({
    text: "",
    truncated: false,
    notes: [],
    media: { mimeType: "image/png", data: PNG.toString("base64") }
  })
  expect(contentOf(bytes("%PDF-1.7\n…")).media?.mimeType).toBe("application/pdf")
})

test("media are read further than text, and never cut", () => {
  expect([contentLimit([PNG]), contentLimit([bytes("text")]), contentLimit([])]).toEqual([
    MEDIA_LIMIT_BYTES,
    TEXT_LIMIT_BYTES,
    TEXT_LIMIT_BYTES
  ])
  expect(refusalOf(Buffer.concat([PNG, Buffer.alloc(MEDIA_LIMIT_BYTES)]))).toEqual(
    Either.left(expect.objectContaining({ kind: "large-media" }))
  )
})

test.each<[string, Uint8Array]>([
  ["NUL bytes", Uint8Array.of(0x61, 0, 0x62)],
  ["a program", Buffer.from("\x7fELF\x02\x01\x01\0\0", "latin1")],
  ["text of another encoding", Buffer.from("Grüße aus Köln für alle Bücher".repeat(20), "latin1")],
  ["noise", Uint8Array.from({ length: 4096 }, (_, index) => 128 + (index % 128))]
])("%s is refused", (_, input) => {
  expect(refusalOf(input)).toEqual(Either.left(expect.objectContaining({ kind: "binary" })))
})
