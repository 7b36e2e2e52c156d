/** The last words of a program on its standard error: what explains its end best. A flood costs no memory. */
import { shortLine } from "../kernel/readable-text.ts"

export interface StderrTail {
  readonly add: (chunk: Uint8Array) => void
  /** One line; empty when nothing was said. */
  readonly lastWords: () => string
}

const KEPT_BYTES = 4096

const TELLING = /error|cannot|not found|denied|invalid|failed/i
/** Frames of a stack trace, and the way to a longer report. */
const EMPTY = /^at |complete log of this run/

export const stderrTail = (): StderrTail => {
  let kept: Uint8Array = new Uint8Array()
  return {
    add: (chunk) => {
      kept =
        chunk.length >= KEPT_BYTES
          ? chunk.slice(-KEPT_BYTES)
          : Buffer.concat([kept.subarray(Math.max(0, kept.length + chunk.length - KEPT_BYTES)), chunk])
    },
    lastWords: () => {
      const lines = new TextDecoder()
        .decode(kept)
        .split("\n")
        .map(shortLine)
        .filter((line) => line !== "")
      // A stack trace ends in its frames; its message says more.
      const telling = lines.findLast((line) => TELLING.test(line) && !EMPTY.test(line))
      return telling ?? lines.at(-1) ?? ""
    }
  }
}
