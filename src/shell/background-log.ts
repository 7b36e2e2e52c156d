/**
 * Log file of a background process: text without escapes and credentials, private, of bounded size. A log that is left
 * from an earlier process with the same number is replaced, never followed: what stands there may be a link that
 * somebody planted. A process that writes its log by itself is cleaned up after when it ends.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import type { Secret } from "../kernel/redact-secrets.ts"
import { SecretFilter } from "./secret-filter.ts"

const LOG_BYTES = 64 * 1024 * 1024
const READ_BYTES = 64 * 1024
/** An escape sequence that is longer than this is not one. */
const LONGEST_ESCAPE = 256
/** So much of what may become a credential stands in the log meanwhile: most often it is the end of another word. */
const SHOWN_PENDING_BYTES = 8

export const logFileOf = (folder: string, pid: number): string => join(folder, `background-${pid}.log`)

export class BackgroundLog {
  private readonly decoder = new TextDecoder()
  private readonly descriptor: number
  private pending = ""
  private size = 0
  private isOpen = true
  private readonly filter: SecretFilter

  /** Throws the file system's error when the log cannot be made. */
  constructor(file: string, { folder, secrets }: { readonly folder: string; readonly secrets: ReadonlyArray<Secret> }) {
    this.filter = new SecretFilter(secrets)
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
    this.put(this.filter.end())
    if (this.isOpen) closeSync(this.descriptor)
    this.isOpen = false
  }

  private append(text: string): void {
    if (text === "") return
    this.put(this.filter.push(Buffer.from(text)))
    const { pending } = this.filter
    // Not counted: what comes next is written over it.
    if (pending.length <= SHOWN_PENDING_BYTES) this.put(pending, { isCounted: false })
  }

  private put(bytes: Uint8Array, { isCounted } = { isCounted: true }): void {
    if (!this.isOpen) return
    try {
      if (this.size + bytes.length > LOG_BYTES) this.restart()
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.descriptor, bytes, at, bytes.length - at, this.size + at)
      if (isCounted) this.size += bytes.length
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

/** Takes credentials out of a log that a process wrote by itself and has left. Where that is not possible, the log goes. */
export const cleanLog = (file: string, secrets: ReadonlyArray<Secret>): void => {
  if (secrets.length === 0) return
  try {
    const source = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
    const cleaned = `${file}.clean`
    const target = openSync(cleaned, "w", 0o600)
    try {
      copyCleaned(source, target, new SecretFilter(secrets))
    } finally {
      closeSync(source)
      closeSync(target)
    }
    renameSync(cleaned, file)
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code !== "ENOENT") rmSync(file, { force: true })
  }
}

const copyCleaned = (source: number, target: number, filter: SecretFilter): void => {
  const piece = Buffer.alloc(READ_BYTES)
  const write = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; ) at += writeSync(target, bytes, at)
  }
  for (let count = -1; count !== 0; ) {
    count = readSync(source, piece, 0, piece.length, null)
    write(filter.push(piece.subarray(0, count)))
  }
  write(filter.end())
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
