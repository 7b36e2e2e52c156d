/**
 * Log file of a background process: text without escapes, private, of bounded size. A log that is left from an earlier
 * process with the same number is replaced, never followed: what stands there may be a link that somebody planted.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeSync
} from "node:fs"
import { join } from "node:path"

const LOG_BYTES = 64 * 1024 * 1024
const READ_BYTES = 64 * 1024
/** An escape sequence that is longer than this is not one. */
const LONGEST_ESCAPE = 256

export const logFileOf = (folder: string, pid: number): string => join(folder, `background-${pid}.log`)

export class BackgroundLog {
  private readonly decoder = new TextDecoder()
  private readonly descriptor: number
  private pending = ""
  private size = 0
  private isOpen = true

  /** Throws the file system's error when the log cannot be made. */
  constructor(file: string, folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    rmSync(file, { force: true })
    this.descriptor = openSync(file, "wx", 0o600)
  }

  readonly write = (bytes: Uint8Array): void => {
    const text = this.pending + this.decoder.decode(bytes, { stream: true })
    const cut = unfinishedEscape(text)
    this.pending = text.slice(cut)
    this.append(Bun.stripANSI(text.slice(0, cut)))
  }

  close(): void {
    if (!this.isOpen) return
    this.append(Bun.stripANSI(this.pending + this.decoder.decode()))
    this.isOpen = false
    closeSync(this.descriptor)
  }

  private append(text: string): void {
    if (!this.isOpen || text === "") return
    const bytes = Buffer.from(text)
    try {
      if (this.size + bytes.length > LOG_BYTES) this.restart()
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.descriptor, bytes, at, bytes.length - at, this.size + at)
      this.size += bytes.length
    } catch {
      // A full disk ends the log, not the process.
      this.isOpen = false
      closeSync(this.descriptor)
    }
  }

  private restart(): void {
    ftruncateSync(this.descriptor, 0)
    this.size = writeSync(this.descriptor, "[earlier output was dropped: the log had reached its limit]\n", 0)
  }
}

export interface LogTail {
  readonly lines: ReadonlyArray<string>
  /** Lines within reach, not all lines of a long log. */
  readonly available: number
  /** The log is longer than what was looked at. */
  readonly isCut: boolean
}

/** The last lines of a log, from its last 64 KiB. Throws the file system's error; `ELOOP` for a link. */
export const readLogTail = (file: string, lines: number): LogTail => {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = fstatSync(descriptor)
    const start = Math.max(0, size - READ_BYTES)
    const buffer = Buffer.alloc(size - start)
    const count = readSync(descriptor, buffer, 0, buffer.length, start)
    const text = Bun.stripANSI(new TextDecoder().decode(buffer.subarray(0, count)))
    const all = text.split("\n")
    if (all.at(-1) === "") all.pop()
    if (start > 0) all.shift()
    return { lines: all.slice(-lines), available: all.length, isCut: start > 0 }
  } finally {
    closeSync(descriptor)
  }
}

/** Where an escape sequence begins that the next bytes may complete; the length of the text when there is none. */
const unfinishedEscape = (text: string): number => {
  const at = text.lastIndexOf("\x1b")
  if (at === -1 || text.length - at > LONGEST_ESCAPE) return text.length
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
  const isWhole = /^\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*\x07|[^[\]])/.test(text.slice(at))
  return isWhole ? text.length : at
}
