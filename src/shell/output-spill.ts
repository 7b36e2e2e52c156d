/**
 * The beginning of a command's output on disk, once memory no longer holds all of it: a private file of bounded size,
 * free of credentials.
 * A full disk or a folder that cannot be written ends the spill, never the command.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Secret } from "../kernel/redact-secrets.ts"
import { SecretFilter } from "./secret-filter.ts"

export class OutputSpill {
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
