/** Archives made by hand, good and bad: what no well-behaved program would pack. */
import { crc32, deflateRawSync, gzipSync } from "node:zlib"

export interface PackedEntry {
  readonly name: string
  /** Text of a file; absent for a folder. */
  readonly text?: string | Uint8Array
  /** Permission bits. */
  readonly mode?: number
  /** Of a tar entry: `2` is a link. */
  readonly type?: string
  readonly link?: string
}

export const tarGz = (entries: ReadonlyArray<PackedEntry>): Uint8Array => gzipSync(tar(entries))

export const tar = (entries: ReadonlyArray<PackedEntry>): Uint8Array =>
  Buffer.concat([...entries.flatMap(tarEntry), Buffer.alloc(1024)])

const tarEntry = ({ link = "", mode = 0o644, name, text, type }: PackedEntry): ReadonlyArray<Buffer> => {
  const content = Buffer.from(text ?? "")
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100)
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124)
  header.write("        ", 148)
  header.write(type ?? (text === undefined ? "5" : "0"), 156)
  header.write(link, 157)
  header.write("ustar\u000000", 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
}

export const zip = (entries: ReadonlyArray<PackedEntry>): Uint8Array => {
  const locals: Array<Buffer> = []
  const directory: Array<Buffer> = []
  let offset = 0
  for (const { mode = 0o100644, name, text } of entries) {
    const content = Buffer.from(text ?? "")
    const packed = deflateRawSync(content)
    const path = Buffer.from(name)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(path.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(crc32(content), 16)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(content.length, 24)
    entry.writeUInt16LE(path.length, 28)
    entry.writeUInt32LE((mode << 16) >>> 0, 38)
    entry.writeUInt32LE(offset, 42)
    locals.push(local, path, packed)
    directory.push(entry, path)
    offset += local.length + path.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, ...directory, end])
}
