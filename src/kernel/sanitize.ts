/**
 * Removes terminal control sequences from text: those that begin with ESC, and those that begin with one of the eight-bit
 * characters which terminals take for the same (`U+009B` for `ESC [`). What begins one and never ends is removed alone, so
 * that no removal can join its two sides to a new one.
 *
 * Other control characters stay: this is for documents. What is shown on a terminal goes through `readable-text.ts`.
 */
export interface Sanitizer {
  /** Clean text that may be shown now. */
  readonly push: (chunk: string) => string
  /** What was held back when the text ended: an unfinished sequence is dropped. */
  readonly end: () => string
}

export const stripAnsi = (text: string): string => (INTRODUCER.test(text) ? strip(text, { isWhole: true }).clean : text)

/** Stateful: an unfinished sequence is held back until its end arrives, so that it can neither act nor be printed in part. */
export const makeSanitizer = (): Sanitizer => {
  let held = ""
  return {
    push: (chunk) => {
      const { clean, rest } = strip(held + chunk, { isWhole: false })
      held = rest
      return clean
    },
    end: () => {
      const { clean } = strip(held, { isWhole: true })
      held = ""
      return clean
    }
  }
}

/** Text passes as it is: `--raw-output`. */
export const rawSanitizer: Sanitizer = { push: (chunk) => chunk, end: () => "" }

/** No real sequence is longer; beyond it the introducer is taken out alone. */
const LONGEST_SEQUENCE = 4096

/** ESC, and the eight-bit forms of DCS, SOS, CSI, OSC, PM and APC. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject here.
const INTRODUCER = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/
const INTRODUCERS = new RegExp(INTRODUCER, "g")

/** What follows the introducer of CSI; of an escape with intermediates; and the rest of a short escape. */
const CSI = /[0-?]*[ -/]*[@-~]/y
const SHORT = /[ -/]*[0-~]/y
/** The same, not ended yet. */
const CSI_START = /[0-?]*[ -/]*/y
const SHORT_START = /[ -/]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
const STRING_END = /\u0007|\u001b\\|\u009c/g

interface Stripped {
  readonly clean: string
  /** From the start of a sequence that may still end. */
  readonly rest: string
}

const strip = (text: string, { isWhole }: { readonly isWhole: boolean }): Stripped => {
  const endOfString = stringEndFinder(text)
  let clean = ""
  let from = 0
  while (true) {
    INTRODUCERS.lastIndex = from
    const found = INTRODUCERS.exec(text)
    if (found === null) return { clean: clean + text.slice(from), rest: "" }
    const at = found.index
    clean += text.slice(from, at)
    const end = sequenceEnd(text, at, endOfString)
    if (end === "open" && !isWhole && text.length - at < LONGEST_SEQUENCE) return { clean, rest: text.slice(at) }
    // Parameters that lead nowhere go with their introducer; what would be the content of a string may be words.
    if (end === "open") from = isString(text, at) ? at + 1 : text.length
    else from = end ?? at + 1
  }
}

/** Where the sequence at this place ends; `open`: behind the text, if at all; `undefined`: this begins none. */
const sequenceEnd = (
  text: string,
  at: number,
  endOfString: (from: number) => number | undefined
): number | "open" | undefined => {
  const kind = kindAt(text, at)
  const body = at + (text[at] === "\u001b" ? 2 : 1)
  if (kind === undefined) return "open"
  if (kind === "[") return matchedEnd(text, body, CSI, CSI_START)
  if (!STRING_KINDS.has(kind)) return matchedEnd(text, at + 1, SHORT, SHORT_START)
  const end = endOfString(body)
  if (end === undefined) return text.length - at < LONGEST_SEQUENCE ? "open" : undefined
  return end - at <= LONGEST_SEQUENCE ? end : undefined
}

/** The character that follows ESC, or would in the seven-bit form. */
const kindAt = (text: string, at: number): string | undefined =>
  text[at] === "\u001b" ? text[at + 1] : SEVEN_BIT[text[at] ?? ""]

const isString = (text: string, at: number): boolean => STRING_KINDS.has(kindAt(text, at) ?? "")

const SEVEN_BIT: Readonly<Record<string, string>> = {
  "\u0090": "P",
  "\u0098": "X",
  "\u009b": "[",
  "\u009d": "]",
  "\u009e": "^",
  "\u009f": "_"
}
const STRING_KINDS: ReadonlySet<string> = new Set(["]", "P", "X", "^", "_"])

const matchedEnd = (text: string, at: number, whole: RegExp, start: RegExp): number | "open" | undefined => {
  whole.lastIndex = at
  if (whole.test(text)) return whole.lastIndex
  start.lastIndex = at
  start.test(text)
  return start.lastIndex === text.length ? "open" : undefined
}

/** The end of the first string terminator at or after a place. Places only grow, so the text is searched once. */
const stringEndFinder = (text: string) => {
  let start = -1
  let end: number | undefined = -1
  return (from: number): number | undefined => {
    if (end === undefined || start >= from) return end
    STRING_END.lastIndex = from
    const found = STRING_END.exec(text)
    start = found?.index ?? text.length
    end = found === null ? undefined : STRING_END.lastIndex
    return end
  }
}
