/**
 * Text of any encoding, and back to the same bytes.
 *
 * A byte order mark decides; without one, valid UTF-8 is UTF-8 and anything else Windows-1252, the superset of latin-1
 * in which every byte is a character. What was decoded is encoded back byte for byte; text whose bytes could not be kept
 * (a torn UTF-16 unit, a code point out of range) is marked, so that nobody writes it back.
 */

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be" | "windows-1252"

export interface TextFormat {
  readonly encoding: Encoding
  readonly hasBom: boolean
}

export interface DecodedText {
  /** Without the byte order mark. Line ends are as in the file. */
  readonly text: string
  readonly format: TextFormat
  /** `encodeText(text, format)` gives the bytes again. */
  readonly isLossless: boolean
}

export const UTF8: TextFormat = { encoding: "utf-8", hasBom: false }

/** UTF-32 stands before UTF-16: its little-endian mark begins with the other's. */
const MARKS: ReadonlyArray<readonly [Encoding, ReadonlyArray<number>]> = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-32le", [0xff, 0xfe, 0x00, 0x00]],
  ["utf-32be", [0x00, 0x00, 0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]]
]

/** The encoding that the first bytes name; `null` without a byte order mark. */
export const encodingOfBom = (bytes: Uint8Array): Encoding | null =>
  MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0] ?? null

export const decodeText = (bytes: Uint8Array): DecodedText => {
  const marked = encodingOfBom(bytes)
  const body = bytes.subarray(marked === null ? 0 : markOf(marked).length)
  switch (marked) {
    case "utf-16le":
    case "utf-16be":
      return { ...decodeUtf16(body, marked), format: { encoding: marked, hasBom: true } }
    case "utf-32le":
    case "utf-32be":
      return { ...decodeUtf32(body, marked), format: { encoding: marked, hasBom: true } }
    default:
      return decodeUtf8(bytes, body, marked !== null)
  }
}

/** `null` when the encoding has no bytes for some character of the text: see `unencodable`. */
export const encodeText = (text: string, format: TextFormat): Uint8Array | null => {
  const body = looksLikeUtf32(text, format.encoding) ? null : encodeBody(text, format.encoding)
  return body === null || !format.hasBom ? body : Buffer.concat([Uint8Array.from(markOf(format.encoding)), body])
}

/** The first character that the encoding cannot hold. */
export const unencodable = (text: string, encoding: Encoding): string | undefined => {
  if (encoding === "windows-1252") {
    const upper = upperHalf()
    return [...text].find((character) => byteOf(character, upper) === -1)
  }
  if (looksLikeUtf32(text, encoding)) return "\0"
  return encoding.startsWith("utf-16") ? undefined : [...text].find((character) => !character.isWellFormed())
}

export type Newline = "\n" | "\r\n"

/** A text with any `\r\n` counts as `\r\n`; `isMixed` when it has both kinds. */
export const newlineOf = (text: string): { readonly newline: Newline; readonly isMixed: boolean } => {
  const hasCrLf = text.includes("\r\n")
  return { newline: hasCrLf ? "\r\n" : "\n", isMixed: hasCrLf && /(^|[^\r])\n/.test(text) }
}

/** U+0000 behind the mark of UTF-16LE makes the mark of UTF-32LE: the file would be read as something else. */
const looksLikeUtf32 = (text: string, encoding: Encoding): boolean => encoding === "utf-16le" && text.startsWith("\0")

const markOf = (encoding: Encoding): ReadonlyArray<number> => MARKS.find(([name]) => name === encoding)?.[1] ?? []

const decodeUtf8 = (bytes: Uint8Array, body: Uint8Array, hasBom: boolean): DecodedText => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
    return { text, format: { encoding: "utf-8", hasBom }, isLossless: true }
  } catch {
    const text = new TextDecoder("windows-1252").decode(bytes)
    return { text, format: { encoding: "windows-1252", hasBom: false }, isLossless: true }
  }
}

const decodeUtf16 = (body: Uint8Array, encoding: "utf-16le" | "utf-16be") => {
  const isTorn = body.length % 2 === 1
  const whole = Buffer.from(isTorn ? body.subarray(0, -1) : body)
  if (encoding === "utf-16be") whole.swap16()
  return { text: whole.toString("utf16le") + (isTorn ? "\ufffd" : ""), isLossless: !isTorn }
}

const decodeUtf32 = (body: Uint8Array, encoding: "utf-32le" | "utf-32be") => {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  const units: Array<string> = []
  let isLossless = body.length % 4 === 0
  for (let offset = 0; offset + 4 <= body.length; offset += 4) {
    const point = view.getUint32(offset, encoding === "utf-32le")
    const isValid = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    isLossless &&= isValid
    units.push(isValid ? String.fromCodePoint(point) : "\ufffd")
  }
  if (body.length % 4 !== 0) units.push("\ufffd")
  return { text: units.join(""), isLossless }
}

const encodeBody = (text: string, encoding: Encoding): Uint8Array | null => {
  switch (encoding) {
    case "utf-8":
      return text.isWellFormed() ? Buffer.from(text, "utf8") : null
    case "utf-16le":
      return Buffer.from(text, "utf16le")
    case "utf-16be":
      return Buffer.from(text, "utf16le").swap16()
    case "utf-32le":
    case "utf-32be":
      return encodeUtf32(text, encoding)
    case "windows-1252":
      return encodeWindows1252(text)
  }
}

const encodeUtf32 = (text: string, encoding: "utf-32le" | "utf-32be"): Uint8Array | null => {
  if (!text.isWellFormed()) return null
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const bytes = new Uint8Array(points.length * 4)
  const view = new DataView(bytes.buffer)
  points.forEach((point, index) => {
    view.setUint32(index * 4, point, encoding === "utf-32le")
  })
  return bytes
}

const encodeWindows1252 = (text: string): Uint8Array | null => {
  const upper = upperHalf()
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) {
    const byte = byteOf(text.charAt(index), upper)
    if (byte === -1) return null
    bytes[index] = byte
  }
  return bytes
}

/** Characters of the bytes 0x80 to 0x9f, the only ones whose number is not that of their byte. */
const upperHalf = (): string =>
  new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index))

/** -1 for a character that has none. */
const byteOf = (character: string, upper: string): number => {
  const unit = character.codePointAt(0) ?? 0
  if (unit < 0x80 || (unit >= 0xa0 && unit <= 0xff)) return unit
  const index = upper.indexOf(character)
  return index === -1 ? -1 : 0x80 + index
}
