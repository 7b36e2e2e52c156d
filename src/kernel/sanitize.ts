/**
 * Removes terminal control sequences from model text. Stateful, because a sequence may be cut by a chunk border: an
 * unfinished one is held back until its end arrives, so that it can neither act on the terminal nor be printed in part.
 */
export interface Sanitizer {
  /** Clean text that may be shown now. */
  readonly push: (chunk: string) => string
  /** What was held back when the text ended: an unfinished sequence is dropped. */
  readonly end: () => string
}

export const stripAnsi = (text: string): string => Bun.stripANSI(text)

export const makeSanitizer = (): Sanitizer => {
  let held = ""
  return {
    push: (chunk) => {
      const text = held + chunk
      const cut = unfinishedSequenceStart(text)
      held = text.slice(cut)
      return stripAnsi(text.slice(0, cut))
    },
    end: () => {
      const rest = stripAnsi(held)
      held = ""
      return rest
    }
  }
}

/** Text passes as it is: `--raw-output`. */
export const rawSanitizer: Sanitizer = { push: (chunk) => chunk, end: () => "" }

/** No real sequence is longer; beyond it the escape character is taken for text and stripped alone. */
const LONGEST_SEQUENCE = 4096

const ESC = "\u001b"
/** CSI; strings (OSC, DCS, SOS, PM, APC) up to their terminator; other escapes, with intermediates or without. */
const COMPLETE = new RegExp(
  ["\\[[0-?]*[ -/]*[@-~]", "[\\]PX^_][^]*?(?:\\x07|\\x1b\\\\|\\x9c)", "[ -/]+[0-~]", "[0-OQ-WYZ\\\\`-~]"]
    .map((form) => `^\\x1b${form}`)
    .join("|")
)

/** Index of an escape character whose sequence has not ended yet; the length of the text when there is none. */
const unfinishedSequenceStart = (text: string): number => {
  let at = text.indexOf(ESC)
  while (at !== -1) {
    const match = COMPLETE.exec(text.slice(at, at + LONGEST_SEQUENCE))
    if (match === null && text.length - at < LONGEST_SEQUENCE) return at
    at = text.indexOf(ESC, at + (match?.[0].length ?? 1))
  }
  return text.length
}
