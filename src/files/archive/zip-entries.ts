/**
 * Entries of a zip archive, by its directory at the end: that is what tells what is in it. Archives of more than 4 GiB
 * and enciphered ones are refused.
 */
import { crc32 } from "node:zlib"
import { type ArchiveEntry, ArchiveFault, tooLarge } from "./archive-entry.ts"
import { inflateRaw } from "./inflate.ts"

const END_MARK = 0x06054b50
const DIRECTORY_MARK = 0x02014b50
const LOCAL_MARK = 0x04034b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff

export function* zipEntries(bytes: Uint8Array, maxBytes: number): Generator<ArchiveEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOfDirectory(view)
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  let left = maxBytes
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== DIRECTORY_MARK) throw damaged()
    const nameLength = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength))
    const mode = view.getUint32(at + 38, true) >>> 16
    checkKind(name, mode)
    const isFolder = name.endsWith("/")
    const content = isFolder ? undefined : contentOf(bytes, view, at, left)
    left -= content?.length ?? 0
    yield { name, content, isExecutable: (mode & 0o111) !== 0 }
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
}

/** Behind everything else, before a comment of any length. */
const endOfDirectory = (view: DataView): number => {
  for (let at = view.byteLength - END_BYTES; at >= 0 && at >= view.byteLength - END_BYTES - MAX_COMMENT_BYTES; at--) {
    if (view.getUint32(at, true) === END_MARK) return at
  }
  throw new ArchiveFault("unreadable", "it is damaged, or no zip archive")
}

/** The upper half of the attributes is the mode, where a system wrote it that has modes. */
const checkKind = (name: string, mode: number): void => {
  const kind = mode & 0o170000
  if (kind === 0o120000) throw new ArchiveFault("unsafe", `${JSON.stringify(name)} is a link`)
  if (kind !== 0 && kind !== 0o100000 && kind !== 0o040000) {
    throw new ArchiveFault("unsafe", `${JSON.stringify(name)} is neither a file nor a folder`)
  }
}

const contentOf = (bytes: Uint8Array, view: DataView, entry: number, left: number): Uint8Array => {
  const flags = view.getUint16(entry + 8, true)
  const method = view.getUint16(entry + 10, true)
  const packed = view.getUint32(entry + 20, true)
  const size = view.getUint32(entry + 24, true)
  const local = view.getUint32(entry + 42, true)
  if ((flags & 1) !== 0) throw new ArchiveFault("unreadable", "it is enciphered")
  if (size > left) throw tooLarge(left)
  if (local + 30 > bytes.length || view.getUint32(local, true) !== LOCAL_MARK) throw damaged()
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
  if (start + packed > bytes.length) throw damaged()
  const data = bytes.subarray(start, start + packed)
  if (method !== 0 && method !== 8) throw new ArchiveFault("unreadable", `its compression (${method}) is not known`)
  const content = method === 0 ? data : inflateRaw(data, size)
  if (content.length !== size || crc32(content) !== view.getUint32(entry + 16, true)) throw damaged()
  return content
}

const damaged = () => new ArchiveFault("unreadable", "it is damaged")
