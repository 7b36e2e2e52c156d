/**
 * Reads the beginning of a text file that anybody may have put there. Only regular files, or links to them, are opened,
 * never more than a stated number of bytes is read, and what was cut is said: a pipe or a file of 100 MB named
 * `GEMINI.md` must neither stop a run nor fill it.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs"
import { Predicate } from "effect"

export type TextHead =
  | { readonly kind: "missing" }
  /** It exists, but is not read; `reason` completes "the file ...". */
  | { readonly kind: "refused"; readonly reason: string; readonly isFolder: boolean }
  | {
      readonly kind: "text"
      readonly text: string
      /** Size of the whole file in bytes. */
      readonly size: number
      readonly isCut: boolean
      /** The same for every name of the same file. */
      readonly identity: string
    }

export const readTextHead = (file: string, maxBytes: number): TextHead => {
  try {
    // Before it is opened: opening a pipe that nobody writes to would wait for ever.
    const named = statSync(file)
    return named.isFile() ? readOpened(file, maxBytes) : nonRegular(named)
  } catch (error) {
    return failed(error)
  }
}

const readOpened = (file: string, maxBytes: number): TextHead => {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) return nonRegular(stat)
    const bytes = new Uint8Array(Math.min(stat.size, maxBytes))
    let length = 0
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(descriptor, bytes, length, bytes.length - length, null)
    const isCut = stat.size > length
    const text = decoded(bytes.subarray(0, length), isCut)
    if (text === null) return { kind: "refused", reason: "is not a text file", isFolder: false }
    return { kind: "text", text, size: stat.size, isCut, identity: `${stat.dev}:${stat.ino}` }
  } finally {
    closeSync(descriptor)
  }
}

/** UTF-8, or the UTF-16 that some Windows tools write. A cut text ends with a whole line. */
const decoded = (bytes: Uint8Array, isCut: boolean): string | null => {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  if (!isUtf16 && bytes.includes(0)) return null
  const text = new TextDecoder(isUtf16 ? "utf-16le" : "utf-8").decode(bytes)
  const end = isCut ? text.lastIndexOf("\n") : -1
  return end > 0 ? text.slice(0, end) : text
}

const nonRegular = (stat: Stats): TextHead => ({
  kind: "refused",
  reason: stat.isDirectory() ? "is a folder" : "is not a regular file",
  isFolder: stat.isDirectory()
})

const failed = (error: unknown): TextHead => {
  const code = Predicate.hasProperty(error, "code") ? String(error.code) : "unknown error"
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" }
  const isDenied = code === "EACCES" || code === "EPERM"
  return {
    kind: "refused",
    reason: isDenied ? "cannot be read: permission denied" : `cannot be read (${code})`,
    isFolder: false
  }
}
