/**
 * What the bytes of standard input are: text, or a picture, a recording or a document that goes to the model as such.
 * Other binary data is refused: as text it would be noise that somebody pays for.
 */
import { isUtf8 } from "node:buffer"
import { Effect, Schema } from "effect"
import { fileTypeOf } from "../files/file-type.ts"
import { decodeText, encodingOfBom } from "../files/text-encoding.ts"

export class InputError extends Schema.TaggedError<InputError>()("InputError", {
  kind: Schema.Literal("directory", "unreadable", "binary", "large-media"),
  detail: Schema.String
}) {
  override get message() {
    return MESSAGES[this.kind](this.detail)
  }
}

const MESSAGES: Readonly<Record<InputError["kind"], (detail: string) => string>> = {
  directory: () => "Standard input is a folder",
  unreadable: (detail) => `Cannot read standard input: ${detail}`,
  binary: (detail) => `Standard input is binary data (${detail}), which no model can read`,
  "large-media": (detail) => `Standard input is larger than a request can carry (${detail})`
}

export interface StdinMedia {
  readonly mimeType: string
  /** Base64. */
  readonly data: string
}

export interface StdinContent {
  readonly text: string
  readonly truncated: boolean
  /** What the user should know about the input, one line each. */
  readonly notes: ReadonlyArray<string>
  /** Goes to the model beside the prompt; the text is empty then. */
  readonly media?: StdinMedia
}

export const TEXT_LIMIT_BYTES = 8 * 1024 * 1024
/** In base64 a third more, which leaves room for the rest of a request of 20 MB. */
export const MEDIA_LIMIT_BYTES = 14 * 1024 * 1024

/** How much is read of an input that begins so. */
export const contentLimit = ([head]: ReadonlyArray<Uint8Array>): number =>
  head !== undefined && mediaTypeOf(head) !== undefined ? MEDIA_LIMIT_BYTES : TEXT_LIMIT_BYTES

export const stdinContent = (bytes: Uint8Array): Effect.Effect<StdinContent, InputError> => {
  const mimeType = mediaTypeOf(bytes)
  if (mimeType !== undefined) {
    return bytes.length > MEDIA_LIMIT_BYTES
      ? new InputError({ kind: "large-media", detail: `${mimeType}, more than 14 MiB` })
      : Effect.succeed({
          text: "",
          truncated: false,
          notes: [],
          media: { mimeType, data: Buffer.from(bytes).toString("base64") }
        })
  }
  const truncated = bytes.length > TEXT_LIMIT_BYTES
  const kept = truncated ? bytes.subarray(0, characterBorder(bytes, TEXT_LIMIT_BYTES)) : bytes
  const strange = strangeness(kept)
  if (strange !== undefined) return new InputError({ kind: "binary", detail: strange })
  return Effect.succeed({
    text: textOf(kept),
    truncated,
    notes: [
      ...(truncated ? ["Standard input is longer than 8 MiB: what lies beyond was dropped"] : []),
      ...(isReadable(kept) ? [] : ["Standard input is not valid UTF-8: unreadable bytes were replaced"])
    ]
  })
}

/** Of what a model takes; `undefined` for text and for other binary data. */
const mediaTypeOf = (bytes: Uint8Array): string | undefined => {
  const type = fileTypeOf("", bytes.subarray(0, 4096))
  return type.kind === "image" || type.kind === "audio" || type.kind === "video" || type.kind === "pdf"
    ? type.mimeType
    : undefined
}

/** A byte order mark names UTF-16 and UTF-32; everything else is UTF-8, perhaps with a flaw. */
const isMarked = (bytes: Uint8Array): boolean => {
  const encoding = encodingOfBom(bytes)
  return encoding !== null && encoding !== "utf-8"
}

const isReadable = (bytes: Uint8Array): boolean => isMarked(bytes) || isUtf8(bytes)

const textOf = (bytes: Uint8Array): string =>
  isMarked(bytes) ? decodeText(bytes).text : new TextDecoder().decode(bytes)

/** A log that was cut in the middle of a character has one flaw, text of another encoding one in every few words. */
const BYTES_PER_FLAW = 1000

/** Why the bytes are no text; `undefined`: they are. */
const strangeness = (bytes: Uint8Array): string | undefined => {
  if (isMarked(bytes)) return undefined
  if (bytes.includes(0)) return "it contains NUL bytes"
  if (isUtf8(bytes)) return undefined
  const text = new TextDecoder().decode(bytes)
  let flaws = 0
  for (let at = text.indexOf("\ufffd"); at !== -1; at = text.indexOf("\ufffd", at + 1)) flaws++
  return flaws > 1 + bytes.length / BYTES_PER_FLAW ? "it is not UTF-8; convert other text with iconv" : undefined
}

/** The last border at or before the index: bytes of the form 10xxxxxx continue a character, at most three of them. */
const characterBorder = (bytes: Uint8Array, index: number): number => {
  for (let border = index; border > index - 4; border--) if (((bytes[border] ?? 0) & 0xc0) !== 0x80) return border
  return index
}
