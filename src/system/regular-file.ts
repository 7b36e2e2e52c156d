/**
 * Reading a small file that anybody may have put there. Only regular files (or links to them) are opened, never a
 * FIFO or a device, and never more than a stated number of bytes: reading configuration must not hang or fill memory.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from "node:fs"
import { Predicate } from "effect"

export type FileText =
  | { readonly kind: "missing" }
  | { readonly kind: "text"; readonly text: string }
  /** It exists, but is not read; `reason` completes "the file ...". */
  | { readonly kind: "refused"; readonly reason: string }

const CHUNK_BYTES = 64 * 1024
/** Some files have no size before they are read. */
const SMALLEST_BYTES = 1024

export const readRegularFile = (file: string, maxBytes: number): FileText => {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat === undefined) return { kind: "missing" }
    if (!stat.isFile()) return nonRegular(file, stat.isDirectory())
    if (stat.size > maxBytes) return tooLarge(maxBytes)
    return readOpened(file, maxBytes, stat.size)
  } catch (error) {
    return refusal(error)
  }
}

/** `size`: what the file had a moment ago; most are read in one piece then. */
const readOpened = (file: string, maxBytes: number, size: number): FileText => {
  // Not blocking, and checked again once open: the path may have become a FIFO since the first look.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    if (!fstatSync(descriptor).isFile()) return nonRegular(file, false)
    const chunks: Array<Uint8Array> = []
    const chunkBytes = Math.min(CHUNK_BYTES, Math.max(size, SMALLEST_BYTES) + 1)
    let total = 0
    while (true) {
      const chunk = Buffer.allocUnsafe(chunkBytes)
      const length = readSync(descriptor, chunk, 0, chunkBytes, null)
      if (length === 0) return decodeText(Buffer.concat(chunks))
      total += length
      if (total > maxBytes) return tooLarge(maxBytes)
      chunks.push(chunk.subarray(0, length))
    }
  } finally {
    closeSync(descriptor)
  }
}

/** UTF-8 with or without a byte order mark, or the UTF-16 that some Windows tools write. */
const decodeText = (bytes: Uint8Array): FileText => {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8"
  try {
    return { kind: "text", text: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch {
    return { kind: "refused", reason: "is not UTF-8 text" }
  }
}

/** Why there is no text of a file that somebody named; nothing is not a file to them, but it is there. */
export const unreadText = (named: string, content: Exclude<FileText, { readonly kind: "text" }>): string => {
  if (content.kind === "refused") return `${named} ${content.reason}`
  return named === NOTHING ? `${named} is not a regular file` : `${named}: no such file`
}

const NOTHING = "/dev/null"

const nonRegular = (file: string, isDirectory: boolean): FileText =>
  // Pointing a setting at /dev/null is the usual way to say "none".
  file === NOTHING
    ? { kind: "missing" }
    : { kind: "refused", reason: isDirectory ? "is a folder" : "is not a regular file" }

const tooLarge = (maxBytes: number): FileText => ({ kind: "refused", reason: `is larger than ${sizeText(maxBytes)}` })

const sizeText = (bytes: number): string => {
  if (bytes >= 1024 * 1024) return `${bytes / 1024 / 1024} MiB`
  return bytes >= 1024 ? `${bytes / 1024} KiB` : `${bytes} bytes`
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "cannot be read: permission denied",
  EPERM: "cannot be read: permission denied",
  ELOOP: "is a symbolic link that leads to itself",
  ENAMETOOLONG: "has a name that is too long",
  EIO: "cannot be read: input/output error"
}

const refusal = (error: unknown): FileText => {
  const code = Predicate.hasProperty(error, "code") ? String(error.code) : "unknown error"
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" }
  return { kind: "refused", reason: REASONS[code] ?? `cannot be read (${code})` }
}

/** What stands there; `undefined` where nothing does, where nothing can, and where we may not look. */
export const statOrNone = (path: string): Stats | undefined => lookedAt(() => statSync(path))

/** The same of a link itself. */
export const lstatOrNone = (path: string): Stats | undefined => lookedAt(() => lstatSync(path))

const NOT_THERE = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EACCES"])

const lookedAt = (look: () => Stats): Stats | undefined => {
  try {
    return look()
  } catch (error) {
    if (Predicate.hasProperty(error, "code") && NOT_THERE.has(String(error.code))) return undefined
    throw error
  }
}
