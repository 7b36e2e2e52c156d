/**
 * What kind of content a file holds, and so how a model is given it.
 *
 * Media are told by their first bytes, not by their name: a page of HTML saved as `.png` would make the API refuse the
 * whole conversation.
 */
import { extname } from "node:path"
import { isBinaryExtension } from "./excludes.ts"
import { decodeText, encodingOfBom } from "./text-encoding.ts"

export type FileType =
  | { readonly kind: "text" }
  | { readonly kind: "svg" }
  | { readonly kind: "binary" }
  | { readonly kind: "image" | "audio" | "video" | "pdf"; readonly mimeType: string }
  /** Sound in a format that the API does not take. */
  | { readonly kind: "unsupported-audio"; readonly mimeType: string }

const SNIFF_BYTES = 4096
/** Random bytes have four times as many. */
const MAX_CONTROL_SHARE = 0.02

/** `head`: the first bytes of the file, at least 4096 where it has them. */
export const fileTypeOf = (path: string, head: Uint8Array): FileType => {
  const extension = extname(path).toLowerCase()
  if ([".ts", ".mts", ".cts"].includes(extension)) return isBinary(head) ? (mediaType(head) ?? BINARY) : TEXT
  if (extension === ".svg") return { kind: "svg" }
  const media = mediaType(head)
  if (media !== null) return media
  if (isBinaryExtension(extension)) return BINARY
  return isBinary(head) ? (UNSUPPORTED_AUDIO[extension] ?? BINARY) : TEXT
}

const TEXT: FileType = { kind: "text" }
const BINARY: FileType = { kind: "binary" }
const UNSUPPORTED_AUDIO: Readonly<Record<string, FileType>> = {
  ".wma": { kind: "unsupported-audio", mimeType: "audio/x-ms-wma" },
  ".mid": { kind: "unsupported-audio", mimeType: "audio/midi" },
  ".midi": { kind: "unsupported-audio", mimeType: "audio/midi" },
  ".amr": { kind: "unsupported-audio", mimeType: "audio/amr" }
}

type MediaKind = "image" | "audio" | "video" | "pdf"
/** What stands where: bytes given as latin-1 text, at an offset. All must hold. */
type Signature = readonly [MediaKind, string, ...ReadonlyArray<readonly [offset: number, bytes: string]>]

const SIGNATURES: ReadonlyArray<Signature> = [
  ["image", "image/png", [0, "\x89PNG\r\n\x1a\n"]],
  ["image", "image/jpeg", [0, "\xff\xd8\xff"]],
  ["image", "image/gif", [0, "GIF8"]],
  ["image", "image/webp", [0, "RIFF"], [8, "WEBP"]],
  ["image", "image/heic", [4, "ftyphei"]],
  ["image", "image/heic", [4, "ftyphev"]],
  ["image", "image/heif", [4, "ftypmif1"]],
  ["image", "image/avif", [4, "ftypavif"]],
  ["image", "image/bmp", [0, "BM"], [6, "\0\0\0\0"]],
  ["image", "image/tiff", [0, "II*\0"]],
  ["image", "image/tiff", [0, "MM\0*"]],
  ["pdf", "application/pdf", [0, "%PDF-"]],
  ["audio", "audio/mpeg", [0, "ID3"]],
  ["audio", "audio/wav", [0, "RIFF"], [8, "WAVE"]],
  ["audio", "audio/aiff", [0, "FORM"], [8, "AIF"]],
  ["audio", "audio/ogg", [0, "OggS"]],
  ["audio", "audio/flac", [0, "fLaC"]],
  ["audio", "audio/aac", [0, "\xff\xf1"]],
  ["audio", "audio/aac", [0, "\xff\xf9"]],
  ["audio", "audio/mpeg", [0, "\xff\xfb"]],
  ["audio", "audio/mpeg", [0, "\xff\xf3"]],
  ["audio", "audio/mpeg", [0, "\xff\xf2"]],
  ["video", "video/x-msvideo", [0, "RIFF"], [8, "AVI "]],
  ["video", "video/webm", [0, "\x1aE\xdf\xa3"]],
  ["video", "video/quicktime", [4, "ftypqt"]],
  ["video", "video/mp4", [4, "ftyp"]],
  ["video", "video/mpeg", [0, "\0\0\x01\xba"]],
  ["video", "video/x-flv", [0, "FLV\x01"]]
]

const mediaType = (head: Uint8Array): FileType | null => {
  const text = Buffer.from(head.subarray(0, 32)).toString("latin1")
  const found = SIGNATURES.find(([, , ...parts]) => parts.every(([offset, bytes]) => text.startsWith(bytes, offset)))
  if (found === undefined || (found[0] !== "pdf" && !isBinary(head))) return null
  return { kind: found[0], mimeType: found[1] }
}

/** Text with a byte order mark is text; else a NUL or many control characters make it binary. */
const isBinary = (head: Uint8Array): boolean => {
  if (head.length === 0 || encodingOfBom(head) !== null) return false
  const sample = head.subarray(0, SNIFF_BYTES)
  if (sample.includes(0)) return true
  if (isUtf8(sample)) return false
  const controls = sample.filter((byte) => byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)).length
  return controls > sample.length * MAX_CONTROL_SHARE
}

/** A character cut in two at the end of the sample does not count against it. */
const isUtf8 = (sample: Uint8Array): boolean =>
  [0, 1, 2, 3].some((cut) => decodeText(sample.subarray(0, sample.length - cut)).format.encoding === "utf-8")
