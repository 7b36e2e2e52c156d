/** Decompression that stops at a limit, so that a few kilobytes cannot fill the memory. */
import { gunzipSync, inflateRawSync } from "node:zlib"
import { ArchiveFault } from "./archive-entry.ts"

export const gunzip = (bytes: Uint8Array, maxBytes: number): Uint8Array =>
  bounded(() => gunzipSync(bytes, { maxOutputLength: maxBytes }), maxBytes)

export const inflateRaw = (bytes: Uint8Array, maxBytes: number): Uint8Array =>
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
