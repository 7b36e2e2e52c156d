/** Entries of a tar archive: the old form, the POSIX form, and long names of both GNU and pax. */
import { type ArchiveEntry, ArchiveFault } from "./archive-entry.ts"

const BLOCK = 512

export function* tarEntries(bytes: Uint8Array): Generator<ArchiveEntry> {
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
