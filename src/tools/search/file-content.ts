/** A file as a model is given it: a page of text, media as data, or the reason why neither is possible. */
import { basename, extname, relative } from "node:path"
import { Effect } from "effect"
import { type FileType, fileTypeOf } from "../../files/file-type.ts"
import { ReadLedger } from "../../files/read-ledger.ts"
import { decodeText } from "../../files/text-encoding.ts"
import { type FileSnapshot, type ResolvedPath, Workspace } from "../../files/workspace.ts"
import type { Part } from "../../protocol/content.ts"
import { readFailure } from "../file-failure.ts"
import { ToolFailure } from "../tool.ts"
import { type LineRange, pageOf, type TextPage } from "./text-page.ts"

export type FileContent =
  | { readonly kind: "text"; readonly page: TextPage }
  | { readonly kind: "svg"; readonly text: string }
  | {
      readonly kind: "media"
      readonly media: "image" | "audio" | "video" | "pdf"
      readonly part: Part
      readonly size: number
    }
  /** Not an error: the file is there, but cannot be shown. */
  | { readonly kind: "skipped"; readonly message: string; readonly display: string }

/** Lines that the model is given; `undefined` where it is no text. */
export const linesIn = (content: FileContent): number | undefined => {
  if (content.kind === "text") return content.page.last - content.page.first + 1
  return content.kind === "svg" ? content.text.split("\n").length : undefined
}

const MIB = 1024 * 1024
export const MAX_FILE_BYTES = 20 * MIB
const MAX_SVG_BYTES = MIB
/** A request may hold 20 MB, and base64 makes a third more of it. */
const MAX_MEDIA_BYTES = { image: 7 * MIB, audio: 14 * MIB, video: 14 * MIB, pdf: 14 * MIB }

/** What kind of file it is, from its name and its first bytes. */
export const contentOf = Effect.fn("contentOf")(function* (path: ResolvedPath, range: LineRange = {}) {
  const workspace = yield* Workspace
  const ledger = yield* ReadLedger
  const file = yield* Effect.mapError(workspace.read(path, { maxBytes: MAX_FILE_BYTES }), (error) =>
    error.kind === "too-large"
      ? tooLarge(path, error.size ?? 0, MAX_FILE_BYTES)
      : readFailure(error, DISPLAYS[error.kind])
  )
  const type = fileTypeOf(path.real, file.bytes)
  if (type.kind === "text" || type.kind === "svg") yield* ledger.remember(path.real, file.bytes)
  const name = relative(workspace.targetDir, path.real)
  switch (type.kind) {
    case "text":
      return { kind: "text", page: pageOf(decodeText(file.bytes).text, range) } as const
    case "svg":
      return svgContent(file, name)
    case "binary":
      return {
        kind: "skipped",
        message: `Cannot display content of binary file: ${name}`,
        display: `Skipped binary file: ${name}`
      } as const
    case "unsupported-audio":
      return yield* new ToolFailure({
        type: "read_content_failure",
        message: `Sound of type ${type.mimeType} cannot be read: ${name}. Supported: mpeg, wav, aiff, aac, ogg, flac.`,
        display: `Unsupported audio: ${name}`
      })
    default:
      return yield* mediaContent(path, file, type)
  }
})

const svgContent = (file: FileSnapshot, name: string): FileContent =>
  file.size > MAX_SVG_BYTES
    ? {
        kind: "skipped",
        message: `The SVG file ${name} is larger than 1 MB and cannot be shown as text.`,
        display: `Skipped large SVG file (>1MB): ${name}`
      }
    : { kind: "svg", text: decodeText(file.bytes).text }

const mediaContent = Effect.fnUntraced(function* (
  path: ResolvedPath,
  file: FileSnapshot,
  type: Extract<FileType, { kind: "image" | "audio" | "video" | "pdf" }>
) {
  const limit = MAX_MEDIA_BYTES[type.kind]
  if (file.size > limit) return yield* tooLarge(path, file.size, limit)
  const data = Buffer.from(file.bytes).toString("base64")
  const part: Part = { inlineData: { data, mimeType: type.mimeType } }
  return { kind: "media", media: type.kind, part, size: file.size } as const
})

const DISPLAYS: Partial<Record<string, string>> = {
  "not-found": "File not found.",
  "is-directory": "Path is a directory."
}

const tooLarge = (path: ResolvedPath, size: number, limit: number): ToolFailure => {
  const message = `The file ${path.real} has ${(size / MIB).toFixed(1)} MB; at most ${limit / MIB} MB of such a file can be read.`
  return new ToolFailure({ type: "file_too_large", message, display: message })
}

/** Whether media that a pattern found are wanted: the bytes of every picture in a folder are not. */

/** Media are included only when the extension or the name stands in some pattern. */
export const isAskedFor = (include: ReadonlyArray<string>, path: string): boolean => {
  const extension = extname(path).toLowerCase()
  const name = basename(path, extname(path)).toLowerCase()
  return include.some((pattern) => {
    const text = pattern.toLowerCase()
    return (extension !== "" && text.includes(extension)) || text.includes(name)
  })
}
