import { expect, test } from "bun:test"
import { fileTypeOf } from "./file-type.ts"

const bytes = (text: string) => Buffer.from(text, "latin1")
const NOISE = "\0\x01\x02\x03\xff\xfe\x80"

test.each([
  ["a.txt", "plain", "text", undefined],
  ["empty", "", "text", undefined],
  ["a.ts", "export {}", "text", undefined],
  ["stream.ts", `G@${NOISE}`, "binary", undefined],
  ["a.svg", "<svg/>", "svg", undefined],
  ["a.png", `\x89PNG\r\n\x1a\n${NOISE}`, "image", "image/png"],
  ["page.png", "<!doctype html>", "text", undefined],
  ["no-extension", `\xff\xd8\xff\xe0${NOISE}`, "image", "image/jpeg"],
  ["a.webp", `RIFF\0\0\0\0WEBP${NOISE}`, "image", "image/webp"],
  ["a.wav", `RIFF\0\0\0\0WAVE${NOISE}`, "audio", "audio/wav"],
  ["a.mp3", `ID3\x04${NOISE}`, "audio", "audio/mpeg"],
  ["a.ogg", `OggS${NOISE}`, "audio", "audio/ogg"],
  ["a.mp4", `\0\0\0\x18ftypisom${NOISE}`, "video", "video/mp4"],
  ["a.pdf", "%PDF-1.7\n", "pdf", "application/pdf"],
  ["fake.pdf", "not a pdf", "text", undefined],
  ["song.wma", NOISE, "unsupported-audio", "audio/x-ms-wma"],
  ["notes.mp3", "just text", "text", undefined],
  ["a.zip", "PK", "binary", undefined],
  ["a.dat", NOISE, "binary", undefined],
  ["utf16.txt", "\xff\xfea\0b\0", "text", undefined],
  ["latin1.txt", "caf\xe9 au lait", "text", undefined]
] as const)("%s holding %j is %s", (path, content, kind, mimeType) => {
  const type = fileTypeOf(path, bytes(content))
  expect<string>(type.kind).toBe(kind)
  expect<string | undefined>("mimeType" in type ? type.mimeType : undefined).toBe(mimeType)
})

test("a character cut at the end of the sample does not make a text binary", () => {
  expect(fileTypeOf("a", Buffer.from("é".repeat(4000)).subarray(0, 4095)).kind).toBe("text")
})
