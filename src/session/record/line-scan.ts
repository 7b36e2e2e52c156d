/**
 * Walks through the lines of a file without holding them: a session may be large, and most of its lines are not needed.
 * Each line is told by where it stands and how it begins.
 */
import { readSync } from "node:fs"

export interface Line {
  /** Counted from 1. */
  readonly number: number
  /** In bytes; `end` is the position of the line break. */
  readonly start: number
  readonly end: number
  /** The first bytes. Valid during the visit only. */
  readonly head: Buffer
  /** A line break follows. Without one the write of this line was cut short, or is under way. */
  readonly isComplete: boolean
}

const CHUNK_BYTES = 1024 * 1024
const HEAD_BYTES = 512
const LINE_BREAK = 10

export const scanLines = (fd: number, visit: (line: Line) => void): void => {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let number = 0
  let position = 0
  /** A line that began in an earlier chunk. */
  let open: { readonly start: number; readonly head: Buffer } | undefined
  while (true) {
    const length = readSync(fd, chunk, 0, CHUNK_BYTES, position)
    if (length === 0) break
    let at = 0
    while (at < length) {
      const found = chunk.subarray(at, length).indexOf(LINE_BREAK)
      if (found === -1) {
        open = extended(open, chunk, { at, length, position })
        break
      }
      const end = at + found
      number += 1
      const line = open === undefined ? undefined : extended(open, chunk, { at, length: end, position })
      const start = line?.start ?? position + at
      const head = line?.head ?? chunk.subarray(at, Math.min(end, at + HEAD_BYTES))
      visit({ number, start, end: position + end, head, isComplete: true })
      open = undefined
      at = end + 1
    }
    position += length
  }
  if (open !== undefined) visit({ number: number + 1, ...open, end: position, isComplete: false })
}

/** The chunk is used again for the next part of the file, so the head is copied. */
const extended = (
  open: { readonly start: number; readonly head: Buffer } | undefined,
  chunk: Buffer,
  { at, length, position }: { readonly at: number; readonly length: number; readonly position: number }
) => {
  const missing = HEAD_BYTES - (open?.head.length ?? 0)
  const more = chunk.subarray(at, Math.min(length, at + missing))
  return {
    start: open?.start ?? position + at,
    head: open === undefined ? Buffer.from(more) : missing > 0 ? Buffer.concat([open.head, more]) : open.head
  }
}

/** The text of a part of a file. Bytes that are not UTF-8 become replacement characters. */
export const readRange = (fd: number, { end, start }: Pick<Line, "start" | "end">): string => {
  const bytes = Buffer.allocUnsafe(end - start)
  let filled = 0
  while (filled < bytes.length) {
    const length = readSync(fd, bytes, filled, bytes.length - filled, start + filled)
    if (length === 0) break
    filled += length
  }
  return bytes.toString("utf8", 0, filled)
}
