/**
 * Everything that is known of a command's output while it runs: its last bytes, whether they are text, what went to
 * disk, and when the last of them came. Plain code: the callbacks of pipes and terminals push into it.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Secret } from "../kernel/redact-secrets.ts"
import { SecretFilter } from "./secret-filter.ts"
import { lastUnits, TailBuffer } from "./tail-buffer.ts"
import { terminalText } from "./terminal-text.ts"

const KEPT_BYTES = 16 * 1024 * 1024
/** Kept of an output that has outgrown memory and is on disk: enough for any reader, and cheap to turn into text. */
const KEPT_OF_SPILLED_BYTES = 1024 * 1024
const SPILL_BYTES = 256 * 1024 * 1024
const LIVE_CHARS = 100_000
const SNIFFED_BYTES = 4096
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
const HAS_ESCAPE = /[\x1b\x9b]/

export interface CaptureOptions {
  /** A terminal's bytes are drawn (line overwriting, cursor movement), a pipe's are text. */
  readonly isTerminal: boolean
  readonly spillFile: string
  /** What no file may hold. */
  readonly secrets?: ReadonlyArray<Secret>
  /** Milliseconds, from the clock of the run. */
  readonly now: () => number
  readonly keptBytes?: number
  readonly spillBytes?: number
}

/**
 * The beginning of a command's output on disk, once memory no longer holds all of it: a private file of bounded size,
 * free of credentials.
 * A full disk or a folder that cannot be written ends the spill, never the command.
 */
class OutputSpill {
  private descriptor: number | undefined
  private bytes = 0
  private state: "idle" | "open" | "closed" = "idle"
  readonly file: string
  private readonly limit: number
  private readonly filter: SecretFilter

  constructor(file: string, { limit, secrets }: { readonly limit: number; readonly secrets: ReadonlyArray<Secret> }) {
    this.file = file
    this.limit = limit
    this.filter = new SecretFilter(secrets)
  }

  get isOpen(): boolean {
    return this.state === "open"
  }

  /** Bytes that reached the file. */
  get written(): number {
    return this.bytes
  }

  /** Creates the file; does nothing when it was tried before. */
  open(): void {
    if (this.state !== "idle") return
    this.state = "closed"
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
      this.descriptor = openSync(this.file, "wx", 0o600)
      this.state = "open"
    } catch {
      // The output's end is still held in memory; `written` stays 0, which is what the result reports.
    }
  }

  append(bytes: Uint8Array): void {
    if (this.state === "open") this.write(this.filter.push(bytes))
  }

  close(): void {
    if (this.state === "open") this.write(this.filter.end())
    this.closeFile()
  }

  private write(bytes: Uint8Array): void {
    if (this.descriptor === undefined) return
    const part = bytes.subarray(0, this.limit - this.bytes)
    try {
      for (let at = 0; at < part.length; ) at += writeSync(this.descriptor, part, at)
      this.bytes += part.length
      if (this.bytes >= this.limit) this.closeFile()
    } catch {
      // No space left: keep what is there.
      this.closeFile()
    }
  }

  private closeFile(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor)
    this.descriptor = undefined
    this.state = "closed"
  }
}

export class OutputCapture {
  private readonly tail: TailBuffer
  private readonly spill: OutputSpill
  private readonly head = new TailBuffer(SNIFFED_BYTES)
  private readonly sinks = new Set<(bytes: Uint8Array) => void>()
  private readonly options: CaptureOptions
  private readonly keptBytes: number
  private hasOutgrown = false
  private binary = false
  private last: number

  constructor(options: CaptureOptions) {
    this.options = options
    this.keptBytes = options.keptBytes ?? KEPT_BYTES
    this.tail = new TailBuffer(this.keptBytes)
    const { secrets = [], spillBytes: limit = SPILL_BYTES, spillFile } = options
    this.spill = new OutputSpill(spillFile, { limit, secrets })
    this.last = options.now()
  }

  get totalBytes(): number {
    return this.tail.total
  }

  get isBinary(): boolean {
    return this.binary
  }

  /** When the last byte came; before the first one, when the command was started. */
  get lastOutputAt(): number {
    return this.last
  }

  /** The file with the beginning of an output that was too long for memory. */
  get spilled(): { readonly file: string; readonly bytes: number } | undefined {
    return this.spill.written > 0 ? { file: this.spill.file, bytes: this.spill.written } : undefined
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.last = this.options.now()
    if (this.tail.total + bytes.length > this.keptBytes) this.spillFrom(bytes)
    this.tail.push(bytes)
    if (!this.binary && this.head.total < SNIFFED_BYTES) {
      this.head.push(bytes.subarray(0, SNIFFED_BYTES - this.head.total))
      this.binary = looksBinary(this.head, this.options.isTerminal)
    }
    for (const sink of this.sinks) sink(bytes)
  }

  /** From now on every byte goes to `sink` as well. Gives back what ends that. */
  tee(sink: (bytes: Uint8Array) => void): () => void {
    this.sinks.add(sink)
    return () => this.sinks.delete(sink)
  }

  /** The end of the output so far, for people. */
  liveText(): string {
    if (this.binary) return `[Receiving binary output... ${formatBytes(this.tail.total)} received]`
    // A character takes at most four bytes, and colour codes none of the room.
    return lastUnits(this.clean(this.tail.text({ isComplete: false, count: LIVE_CHARS * 4 })), LIVE_CHARS)
  }

  /** The output as the model gets it: no escapes, trimmed, and what is missing from it named. */
  finalText(): string {
    if (this.binary) return `(binary output, ${formatBytes(this.tail.total)}, not shown)`
    const dropped = this.tail.dropped
    const text = this.clean(this.tail.text({ isComplete: true })).trim()
    return dropped === 0 ? text : `${text}\n${this.truncationNote()}`
  }

  /** All bytes that are still held. */
  heldBytes(): Uint8Array {
    return this.tail.last()
  }

  close(): void {
    this.spill.close()
  }

  private clean(text: string): string {
    if (this.options.isTerminal) return terminalText(text)
    // Most outputs have no escapes, and a copy of a long one is worth avoiding.
    return HAS_ESCAPE.test(text) ? Bun.stripANSI(text) : text
  }

  private spillFrom(bytes: Uint8Array): void {
    if (this.tail.dropped === 0 && !this.hasOutgrown) {
      this.hasOutgrown = true
      this.spill.open()
      for (const view of this.tail.views()) this.spill.append(view)
      if (this.spill.isOpen) this.tail.shrinkTo(Math.min(KEPT_OF_SPILLED_BYTES, this.keptBytes))
    }
    this.spill.append(bytes)
  }

  private truncationNote(): string {
    const spilled = this.spilled
    const rest =
      spilled === undefined ? "the rest is lost" : `the first ${formatBytes(spilled.bytes)} are in ${spilled.file}`
    return `[GEMINI_CLI_WARNING: the output is longer than ${this.keptBytes / 1024 / 1024}MB: ${formatBytes(this.tail.total)}. Only its last ${formatBytes(this.tail.held)} are shown; ${rest}.]`
  }
}

/** A NUL early in a pipe; in a terminal, whose programs may pad with NULs, many of them. */
const looksBinary = (head: TailBuffer, isTerminal: boolean): boolean => {
  if (!isTerminal) return head.last().subarray(0, 512).includes(0)
  const text = Bun.stripANSI(head.text({ isComplete: false }))
  let zeros = 0
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 0) zeros += 1
  return text.length > 0 && zeros / text.length > 0.1
}

export const formatBytes = (count: number): string => {
  if (count < 1024) return `${count} bytes`
  const units = ["KB", "MB", "GB", "TB"]
  let value = count / 1024
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${value.toFixed(1)} ${units[unit]}`
}
