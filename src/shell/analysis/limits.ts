/**
 * Sizes beyond which a command line is not analysed at all. Checked by a scan of the text, before the grammar is
 * loaded: the parser needs seconds for a megabyte and square time for long pipelines, and it cannot be interrupted.
 */
import type { Opaque } from "./shell-analysis.ts"

const MAX_BYTES = 65_536
const MAX_NESTING = 100
const MAX_PIPES = 1_000

export const beyondLimits = (text: string): Opaque | undefined => {
  // A UTF-16 unit takes at least one byte, so the exact count is needed only near the limit.
  if (text.length > MAX_BYTES || Buffer.byteLength(text) > MAX_BYTES) {
    return { kind: "too-long", detail: "the command is longer than 64 KiB" }
  }
  if (text.includes("\0")) return { kind: "parse-error", detail: "the command holds a NUL character" }
  let depth = 0
  let pipes = 0
  for (let index = 0; index < text.length; index++) {
    const char = text[index]
    if (char === "(" || char === "{") depth++
    else if (char === ")" || char === "}") depth = Math.max(0, depth - 1)
    else if (char === "|") pipes++
    if (depth > MAX_NESTING) return { kind: "too-complex", detail: `nested deeper than ${MAX_NESTING} levels` }
  }
  if (pipes > MAX_PIPES) return { kind: "too-complex", detail: `more than ${MAX_PIPES} pipes` }
  return undefined
}
