/**
 * File contents in one append-only file. Contents are packed into blocks and compressed together: a tree of small files
 * costs a few large writes, not one file each. A place is known before its block is written, because there is one
 * writer. Blocks are enciphered (`undo-store.ts` says why).
 */
import { createCipheriv, createDecipheriv } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs"

/** Where a content stands: the start of its block in the file, and its bytes within the unpacked block. */
export interface ContentPlace {
  readonly block: number
  readonly offset: number
  readonly size: number
}

export interface ContentLog {
  readonly add: (bytes: Uint8Array) => ContentPlace
  /** Throws where the file ends early or is damaged. */
  readonly read: (place: ContentPlace) => Uint8Array
  /** Everything added so far is handed to the system. */
  readonly flush: () => void
  /** Bytes in the file. */
  readonly size: () => number
  readonly close: () => void
}

const BLOCK_BYTES = 1024 * 1024
const IV_BYTES = 16
/** Before each block: its packed and its unpacked length, and the start value of its cipher. */
const HEADER_BYTES = 8 + IV_BYTES
const CIPHER = "aes-256-ctr"
/** Anything beyond is damage, not a block. */
const MAX_BLOCK_BYTES = 1024 * 1024 * 1024
const LEVEL = 1

/** Makes the file where it is missing, readable by its owner only. */
export const openContentLog = (file: string, key: Uint8Array): ContentLog => {
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
  let end = fstatSync(fd).size
  let pending: Array<Uint8Array> = []
  let pendingBytes = 0
  let unpacked: { readonly block: number; readonly bytes: Uint8Array } | undefined

  const flush = (): void => {
    if (pendingBytes === 0) return
    const packed = Bun.zstdCompressSync(Buffer.concat(pending, pendingBytes), { level: LEVEL })
    const header = Buffer.alloc(HEADER_BYTES)
    const iv = crypto.getRandomValues(header.subarray(HEADER_BYTES - IV_BYTES))
    header.writeUInt32LE(packed.length, 0)
    header.writeUInt32LE(pendingBytes, 4)
    writeFully(fd, Buffer.concat([header, createCipheriv(CIPHER, key, iv).update(packed)]), end)
    end += HEADER_BYTES + packed.length
    pending = []
    pendingBytes = 0
  }

  const add = (bytes: Uint8Array): ContentPlace => {
    if (pendingBytes > 0 && pendingBytes + bytes.length > BLOCK_BYTES) flush()
    const place = { block: end, offset: pendingBytes, size: bytes.length }
    if (bytes.length > 0) pending.push(bytes)
    pendingBytes += bytes.length
    return place
  }

  const read = ({ block, offset, size }: ContentPlace): Uint8Array => {
    if (size === 0) return new Uint8Array(0)
    if (block >= end) flush()
    if (unpacked?.block !== block) unpacked = { block, bytes: readBlock(fd, block, key) }
    if (offset + size > unpacked.bytes.length) throw new RangeError("the content log is damaged")
    return unpacked.bytes.subarray(offset, offset + size)
  }

  return { add, read, flush, size: () => end + pendingBytes, close: () => closeSync(fd) }
}

const readBlock = (fd: number, block: number, key: Uint8Array): Uint8Array => {
  const header = readFully(fd, block, HEADER_BYTES)
  const packed = header.readUInt32LE(0)
  const size = header.readUInt32LE(4)
  if (packed > MAX_BLOCK_BYTES || size > MAX_BLOCK_BYTES) throw new RangeError("the content log is damaged")
  const iv = header.subarray(HEADER_BYTES - IV_BYTES)
  const plain = createDecipheriv(CIPHER, key, iv).update(readFully(fd, block + HEADER_BYTES, packed))
  const bytes = Bun.zstdDecompressSync(plain)
  if (bytes.length !== size) throw new RangeError("the content log is damaged")
  return bytes
}

const readFully = (fd: number, position: number, length: number): Buffer => {
  const buffer = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const count = readSync(fd, buffer, done, length - done, position + done)
    if (count === 0) throw new RangeError("the content log ends early")
    done += count
  }
  return buffer
}

const writeFully = (fd: number, bytes: Uint8Array, position: number): void => {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done)
  }
}
