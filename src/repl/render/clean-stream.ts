/**
 * Text of the model on its way to the screen: control sequences and characters are taken out, also where a chunk ends in
 * the middle of one, and what would reorder the line is written out.
 */
import { makeSanitizer } from "../../kernel/sanitize.ts"
import { readableText } from "../../kernel/visible-text.ts"

export interface CleanStream {
  readonly push: (chunk: string) => string
  /** What was held back. The stream can be used for another text afterwards. */
  readonly end: () => string
}

export const makeCleanStream = (): CleanStream => {
  const sanitizer = makeSanitizer()
  // A carriage return is half of a line break or a whole one; the next character tells.
  let held = ""
  return {
    push: (chunk) => {
      const text = held + sanitizer.push(chunk)
      held = text.endsWith("\r") ? "\r" : ""
      return readableText(text.slice(0, text.length - held.length))
    },
    end: () => {
      const text = held + sanitizer.end()
      held = ""
      return readableText(text)
    }
  }
}
