/**
 * Unpacks a `.tar.gz`, `.tgz`, `.tar` or zip file (`.skill` is one) that came from somewhere else into a new folder. All
 * entries are checked before the first is written: an archive that leads out of the folder, brings links, names a file
 * twice or is larger than its limits leaves nothing behind.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { crc32, gunzipSync, inflateRawSync } from "node:zlib"
import { Effect, Schema } from "effect"
import { errnoOf } from "../file-error.ts"
import { type ArchiveEntry, ArchiveFault, type ArchiveLimits, nameFault, tooLarge } from "./archive-entry.ts"

/** Why an archive was not unpacked. Nothing of it is left behind. */
export class ArchiveError extends Schema.TaggedError<ArchiveError>()("ArchiveError", {
  /** `unsafe`: it would write outside its folder, or bring links or devices. `too-large`: it goes beyond a limit. */
  kind: Schema.Literal("unreadable", "unsafe", "too-large", "not-written"),
  file: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `${this.file} was not unpacked: ${this.detail}`
  }
}

export const DEFAULT_LIMITS: ArchiveLimits = { maxEntries: 20_000, maxBytes: 256 * 1024 * 1024 }

// Entries of a zip archive, by its directory at the end: that is what tells what is in it. Archives of more than 4 GiB
// and enciphered ones are refused.

const END_MARK = 0x06054b50
const DIRECTORY_MARK = 0x02014b50
const LOCAL_MARK = 0x04034b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff

function* zipEntries(bytes: Uint8Array, maxBytes: number): Generator<ArchiveEntry> {
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

// Entries of a tar archive: the old form, the POSIX form, and long names of both GNU and pax.

const BLOCK = 512

function* tarEntries(bytes: Uint8Array): Generator<ArchiveEntry> {
  let longName: string | undefined
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK)
    if (header.every((byte) => byte === 0)) return
    checkSum(header)
    const size = numberAt(header, 124, 12)
    const start = at + BLOCK
    if (start + size > bytes.length) throw new ArchiveFault("unreadable", "it ends in the middle of a file")
    const content = bytes.subarray(start, start + size)
    at = start + Math.ceil(size / BLOCK) * BLOCK
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === "x") longName = paxPath(content) ?? longName
    else if (type === "L") longName = textAt(content, 0, content.length)
    else if (type !== "g" && type !== "K") {
      const name = longName ?? plainName(header)
      longName = undefined
      yield entryOf(name, type, content, numberAt(header, 100, 8))
    }
  }
}

const entryOf = (name: string, type: string, content: Uint8Array, mode: number): ArchiveEntry => {
  switch (type) {
    case "5":
      return { name, content: undefined, isExecutable: false }
    case "0":
    case "\0":
    case "7":
      // The oldest form marks folders by their names only.
      return name.endsWith("/")
        ? { name, content: undefined, isExecutable: false }
        : { name, content, isExecutable: (mode & 0o111) !== 0 }
    case "1":
    case "2":
      throw new ArchiveFault("unsafe", `${JSON.stringify(name)} is a link`)
    default:
      throw new ArchiveFault("unsafe", `${JSON.stringify(name)} is neither a file nor a folder`)
  }
}

const decoder = new TextDecoder()

const textAt = (bytes: Uint8Array, start: number, length: number): string => {
  const field = bytes.subarray(start, start + length)
  const end = field.indexOf(0)
  return decoder.decode(end < 0 ? field : field.subarray(0, end))
}

const plainName = (header: Uint8Array): string => {
  const prefix = textAt(header, 257, 5) === "ustar" ? textAt(header, 345, 155) : ""
  const name = textAt(header, 0, 100)
  return prefix === "" ? name : `${prefix}/${name}`
}

/** Octal. The binary form of numbers is for files that no limit lets through. */
const numberAt = (header: Uint8Array, start: number, length: number): number => {
  if (((header[start] ?? 0) & 0x80) !== 0) throw new ArchiveFault("too-large", "it holds a file beyond all bounds")
  const text = textAt(header, start, length).trim()
  if (!/^[0-7]*$/.test(text)) throw new ArchiveFault("unreadable", "it is no tar archive")
  return text === "" ? 0 : Number.parseInt(text, 8)
}

const checkSum = (header: Uint8Array): void => {
  let sum = 0
  for (let index = 0; index < BLOCK; index++) sum += index >= 148 && index < 156 ? 32 : (header[index] ?? 0)
  if (sum !== numberAt(header, 148, 8)) throw new ArchiveFault("unreadable", "it is damaged, or no tar archive")
}

/** Records are `<length> <key>=<value>\n`, the length in bytes and that of the whole record. */
const paxPath = (content: Uint8Array): string | undefined => {
  let path: string | undefined
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(32, at)
    const length = space < 0 ? Number.NaN : Number(decoder.decode(content.subarray(at, space)))
    if (!Number.isInteger(length) || length <= space - at) return path
    const record = decoder.decode(content.subarray(space + 1, at + length - 1))
    if (record.startsWith("path=")) path = record.slice("path=".length)
    if (record.startsWith("size=")) throw new ArchiveFault("too-large", "it holds a file beyond all bounds")
    at += length
  }
  return path
}

/** `target` must not exist; it does afterwards, or nothing does. Gives the names of the files. */
export const extractArchive = (
  file: string,
  target: string,
  limits: ArchiveLimits = DEFAULT_LIMITS
): Effect.Effect<ReadonlyArray<string>, ArchiveError> =>
  Effect.gen(function* () {
    const entries = yield* Effect.try({
      try: () => checked(read(file, limits), limits),
      catch: (cause) => failure(file, cause, "unreadable")
    })
    yield* Effect.try({
      try: () => write(target, entries),
      catch: (cause) => failure(file, cause, "not-written")
    })
    return entries.flatMap(({ content, name }) => (content === undefined ? [] : [name]))
  })

const read = (file: string, limits: ArchiveLimits): Iterable<ArchiveEntry> => {
  const stat = statSync(file)
  // A pipe that nobody writes to would be waited for without end.
  if (!stat.isFile())
    throw new ArchiveFault("unreadable", `it is ${stat.isDirectory() ? "a folder" : "no regular file"}`)
  if (stat.size > limits.maxBytes) throw tooLarge(limits.maxBytes)
  const bytes = readFileSync(file)
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return zipEntries(bytes, limits.maxBytes)
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  return tarEntries(isPacked ? gunzip(bytes, limits.maxBytes) : bytes)
}

const checked = (entries: Iterable<ArchiveEntry>, { maxBytes, maxEntries }: ArchiveLimits) => {
  const kept: Array<ArchiveEntry> = []
  const files = new Set<string>()
  let total = 0
  let count = 0
  for (const entry of entries) {
    if (++count > maxEntries) throw new ArchiveFault("too-large", `it holds more than ${maxEntries} entries`)
    const fault = nameFault(entry.name)
    if (fault !== undefined) throw new ArchiveFault("unsafe", fault)
    total += entry.content?.length ?? 0
    if (total > maxBytes) throw tooLarge(maxBytes)
    const name = plain(entry.name)
    if (name === "") continue
    if (entry.content !== undefined) {
      if (files.has(name)) throw new ArchiveFault("unsafe", `it holds ${JSON.stringify(name)} twice`)
      files.add(name)
    }
    kept.push({ ...entry, name })
  }
  if (files.size === 0) throw new ArchiveFault("unreadable", "it holds no files")
  return kept
}

/** Without `.` and doubled slashes. */
const plain = (name: string): string =>
  name
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")

const write = (target: string, entries: ReadonlyArray<ArchiveEntry>): void => {
  mkdirSync(dirname(target), { recursive: true })
  // Fails where something is: nothing of others is written over, and no link is followed.
  mkdirSync(target)
  try {
    for (const { content, isExecutable, name } of entries) {
      const path = join(target, name)
      mkdirSync(content === undefined ? path : dirname(path), { recursive: true })
      if (content !== undefined) writeFileSync(path, content, { flag: "wx", mode: isExecutable ? 0o755 : 0o644 })
    }
  } catch (cause) {
    rmSync(target, { recursive: true, force: true })
    throw cause
  }
}

const failure = (file: string, cause: unknown, kind: "unreadable" | "not-written"): ArchiveError =>
  cause instanceof ArchiveFault
    ? new ArchiveError({ kind: cause.kind, file, detail: cause.message })
    : new ArchiveError({ kind, file, detail: reasonOf(errnoOf(cause)) })

const reasonOf = (code: string): string => (code === "ENOENT" ? "there is no such file" : `the system reported ${code}`)

/** Decompression stops at a limit, so that a few kilobytes cannot fill the memory. */
const gunzip = (bytes: Uint8Array, maxBytes: number): Uint8Array =>
  bounded(() => gunzipSync(bytes, { maxOutputLength: maxBytes }), maxBytes)

const inflateRaw = (bytes: Uint8Array, maxBytes: number): Uint8Array =>
  bounded(() => inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxBytes) }), maxBytes)

const bounded = (work: () => Uint8Array, maxBytes: number): Uint8Array => {
  try {
    return work()
  } catch (cause) {
    const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"
    throw isTooLarge
      ? new ArchiveFault("too-large", `it unpacks to more than ${maxBytes} bytes`)
      : new ArchiveFault("unreadable", "its compressed data is damaged")
  }
}
