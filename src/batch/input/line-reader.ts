/**
 * Lines of a file of any size with flat memory. Reading is synchronous: the file is on a disk, a piece is small, and a
 * million lines through promises would take longer than their work.
 */
import { isUtf8 } from "node:buffer"
import { closeSync, openSync, readSync } from "node:fs"

export interface SourceLine {
  /** From 1; empty lines count. */
  readonly number: number
  readonly text: string
  /** Why it cannot be used; `text` is empty then. */
  readonly fault?: string
}

export interface LineOptions {
  /** A line that was not ended by a line feed was cut off while it was written, and is left out. */
  readonly wholeOnly?: boolean
  /** Where to begin, in bytes. */
  readonly from?: number
}

const PIECE_BYTES = 256 * 1024
/** More than any request can carry. */
export const LONGEST_LINE = 32 * 1024 * 1024

const LINE_FEED = 10

/** Every line with its number; the file is closed when the last one was taken, or when nobody wants more. */
export function* linesOf(path: string, options: LineOptions = {}): Generator<SourceLine, void> {
  const descriptor = openSync(path, "r")
  try {
    yield* linesIn(descriptor, options)
  } finally {
    closeSync(descriptor)
  }
}

function* linesIn(descriptor: number, { from = 0, wholeOnly = false }: LineOptions): Generator<SourceLine, void> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  let begun: Array<Buffer> = []
  let begunBytes = 0
  let number = 0
  for (let position = from; ; ) {
    const read = readSync(descriptor, piece, 0, PIECE_BYTES, position)
    if (read === 0) break
    position += read
    const bytes = piece.subarray(0, read)
    const end = bytes.lastIndexOf(LINE_FEED)
    if (end === -1) {
      begunBytes += read
      // What is too long is only counted from there on.
      if (begunBytes <= LONGEST_LINE) begun.push(Buffer.from(bytes))
      else begun = []
      continue
    }
    const first = bytes.indexOf(LINE_FEED)
    if (begunBytes > 0) {
      number += 1
      const length = begunBytes + first
      yield length > LONGEST_LINE
        ? tooLong(number)
        : lineOf(number, Buffer.concat([...begun, bytes.subarray(0, first)]))
      begun = []
      begunBytes = 0
      if (end > first) {
        for (const line of split(bytes.subarray(first + 1, end), number)) yield line
        number += countLines(bytes, first + 1, end)
      }
    } else {
      for (const line of split(bytes.subarray(0, end), number)) yield line
      number += countLines(bytes, 0, end)
    }
    if (end + 1 < read) {
      begun = [Buffer.from(bytes.subarray(end + 1))]
      begunBytes = read - end - 1
    }
  }
  if (begunBytes === 0 || wholeOnly) return
  number += 1
  yield begunBytes > LONGEST_LINE ? tooLong(number) : lineOf(number, Buffer.concat(begun))
}

/** The lines of a piece that is decoded at once, which is many times faster than one by one. */
function* split(bytes: Buffer, before: number): Generator<SourceLine, void> {
  const text = bytes.toString("utf8")
  if (text.includes("\ufffd") && !isUtf8(bytes)) {
    let start = 0
    for (let number = before + 1; start <= bytes.length; number++) {
      const found = bytes.indexOf(LINE_FEED, start)
      const end = found === -1 ? bytes.length : found
      yield lineOf(number, bytes.subarray(start, end))
      start = end + 1
    }
    return
  }
  let number = before
  for (const line of text.split("\n")) yield { number: ++number, text: line }
}

const countLines = (bytes: Buffer, from: number, to: number): number => {
  let count = 1
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1 && at < to; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1
  return count
}

const lineOf = (number: number, bytes: Buffer): SourceLine =>
  isUtf8(bytes) ? { number, text: bytes.toString("utf8") } : { number, text: "", fault: "the line is not UTF-8 text" }

const tooLong = (number: number): SourceLine => ({
  number,
  text: "",
  fault: `the line is longer than ${LONGEST_LINE / 1024 / 1024} MiB`
})
