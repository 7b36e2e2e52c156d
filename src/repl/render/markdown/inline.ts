/**
 * Emphasis, code and links inside a line of markdown that may still be growing.
 *
 * What a delimiter means depends on what follows it: `**` is bold only if it is closed again. So the result says how far
 * it is settled, whatever comes next, and a closing delimiter is looked for within a fixed distance only. Lines built
 * from the settled part are the same however the text was cut into chunks.
 */
import type { Ink } from "../paint.ts"
import { plainSpan, type Span } from "./span.ts"

export interface InlineOptions {
  /** The line has ended: nothing follows. */
  readonly isComplete: boolean
  /** Without colours the delimiters are all that is left of the markup, and stay. */
  readonly keepsMarkup: boolean
}

export interface Inline {
  /** What no further text can change. */
  readonly settled: ReadonlyArray<Span>
  /** What it looks like after that for now. */
  readonly open: ReadonlyArray<Span>
  /** Where the settled part of the source ends: reading can go on from here. */
  readonly settledAt: number
}

/**
 * A delimiter that is not closed within so many characters is text. Nobody sees what comes after it until that is
 * decided, so these are as short as what is really written allows.
 */
const REACH = { strong: 160, code: 120, tight: 80, label: 130, link: 240, address: 500 } as const
/** The last characters of a growing line are never settled: a delimiter or a composed character may be incomplete. */
const HELD_BACK = 16
/** Where all of them are ASCII, only a delimiter and what is behind it, or the start of `https://`. */
const HELD_BACK_ASCII = 8
const PIECE = 4

export const parseInline = (source: string, options: InlineOptions, from = 0): Inline => {
  const known = options.isComplete ? source.length : source.length - heldBack(source)
  const settled: Array<Span> = []
  const open: Array<Span> = []
  let settledAt: number | undefined
  for (let at = from; at < source.length; ) {
    const token = tokenAt(source, at, options)
    const isKnown = options.isComplete || (token.end <= known && (token.isCertain || at + token.reach <= known))
    if (!isKnown) settledAt ??= at
    const target = settledAt === undefined ? settled : open
    target.push(...(token.spans ?? [plainSpan(token.text)]))
    at = token.end
  }
  return { settled, open, settledAt: settledAt ?? source.length }
}

const heldBack = (source: string): number =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: any of ASCII.
  /^[\x00-\x7f]*$/.test(source.slice(-HELD_BACK)) ? HELD_BACK_ASCII : HELD_BACK

const wholeInline = (source: string, options: InlineOptions): ReadonlyArray<Span> =>
  parseInline(source, { ...options, isComplete: true }).settled

type Token = {
  readonly end: number
  readonly text: string
  /** Absent for plain text. */
  readonly spans?: ReadonlyArray<Span>
} & (
  | { readonly isCertain: true }
  /** A delimiter without an end in sight is plain text for now; it is for ever when none comes within `reach`. */
  | { readonly isCertain: false; readonly reach: number }
)

/** The counterpart of a delimiter is not in sight. */
interface Open {
  readonly reach: number
}
const openFor = (reach: number): Open => ({ reach })

const SPECIAL = /[\\`*_~[!<]|https?:\/\//g

const tokenAt = (source: string, at: number, options: InlineOptions): Token => {
  SPECIAL.lastIndex = at
  const next = SPECIAL.exec(source)
  if (next === null || next.index > at) {
    const end = next === null ? source.length : next.index
    // In pieces, so that a long run of plain text is settled as far as it can be.
    const piece = options.isComplete ? end : Math.min(end, at + PIECE)
    return { end: piece, text: source.slice(at, piece), isCertain: true }
  }
  const markup = markupAt(source, at, options)
  if (markup === undefined) return literal(source, at, 1)
  if ("end" in markup) return markup
  const { end, text } = literal(source, at, runLength(source, at))
  return { end, text, isCertain: false, reach: markup.reach }
}

const literal = (source: string, at: number, length: number) => ({
  end: at + length,
  text: source.slice(at, at + length),
  isCertain: true as const
})

/** `undefined`: the character stands for itself. */
const markupAt = (source: string, at: number, options: InlineOptions): Token | Open | undefined => {
  switch (source[at]) {
    case "\\":
      return /[!-/:-@[-`{-~]/.test(source[at + 1] ?? "") && !options.keepsMarkup
        ? { end: at + 2, text: source.slice(at + 1, at + 2), isCertain: true }
        : undefined
    case "`":
      return codeAt(source, at, options)
    case "*":
    case "_":
    case "~":
      return emphasisAt(source, at, options)
    case "[":
    case "!":
      return linkAt(source, at, options)
    default:
      return addressAt(source, at)
  }
}

const runLength = (source: string, at: number): number => {
  let end = at
  while (source[end] === source[at]) end++
  return end - at
}

const codeAt = (source: string, at: number, options: InlineOptions): Token | Open => {
  const length = runLength(source, at)
  const start = at + length
  for (let end = source.indexOf("`", start); end !== -1 && end <= at + REACH.code; ) {
    const closing = runLength(source, end)
    if (closing === length) {
      const whole = source.slice(at, end + length)
      const code = source.slice(start, end).replace(/^ (.*[^ ].*) $/, "$1")
      const text = options.keepsMarkup ? whole : code
      return { end: end + length, text, spans: [{ text, inks: ["cyan"] }], isCertain: true }
    }
    end = source.indexOf("`", end + closing)
  }
  return openFor(REACH.code)
}

const EMPHASIS: Readonly<Record<string, ReadonlyArray<Ink>>> = {
  "***": ["bold", "italic"],
  "**": ["bold"],
  "*": ["italic"],
  __: ["bold"],
  _: ["italic"],
  "~~": ["strike"]
}

const emphasisAt = (source: string, at: number, options: InlineOptions): Token | Open | undefined => {
  const delimiter = source.slice(at, at + runLength(source, at))
  const inks = EMPHASIS[delimiter]
  const start = at + delimiter.length
  if (inks === undefined || /^\s?$/.test(source[start] ?? " ")) return literal(source, at, delimiter.length)
  // Stars and underscores inside words are names, products and globs more often than emphasis.
  const isTight = delimiter === "*" || delimiter.startsWith("_")
  if (isTight && isWordCharacter(source[at - 1])) return literal(source, at, delimiter.length)
  const reach = isTight ? REACH.tight : REACH.strong
  for (let end = source.indexOf(delimiter, start); end !== -1 && end <= at + reach; ) {
    const run = runLength(source, end)
    const isClosing = run === delimiter.length && !/\s/.test(source[end - 1] ?? " ")
    if (isClosing && !(isTight && isWordCharacter(source[end + run]))) {
      return emphasised(source, at, { start, end, after: end + run, inks }, options)
    }
    end = source.indexOf(delimiter, end + run)
  }
  return openFor(reach)
}

const emphasised = (
  source: string,
  at: number,
  range: { readonly start: number; readonly end: number; readonly after: number; readonly inks: ReadonlyArray<Ink> },
  options: InlineOptions
): Token => {
  const inner = wholeInline(source.slice(range.start, range.end), options)
  const dressed = inner.map((span) => ({ ...span, inks: [...range.inks, ...span.inks] }))
  const spans = options.keepsMarkup
    ? [plainSpan(source.slice(at, range.start)), ...dressed, plainSpan(source.slice(range.end, range.after))]
    : dressed
  return { end: range.after, text: "", spans, isCertain: true }
}

const isWordCharacter = (character: string | undefined): boolean => /[\p{L}\p{N}_]/u.test(character ?? "")

const LABEL = /^!?\[(?:[^[\]\\]|\\.){0,120}/
const LINK =
  /!?\[((?:[^[\]\\]|\\.){0,120})\]\(\s*<?([^\s<>()]{1,500}(?:\([^\s<>()]*\)[^\s<>()]*)?)>?(?:\s+"[^"]{0,200}")?\s*\)/y

const linkAt = (source: string, at: number, options: InlineOptions): Token | Open | undefined => {
  if (source[at] === "!" && source[at + 1] !== "[") return source[at + 1] === undefined ? openFor(2) : undefined
  LINK.lastIndex = at
  const match = LINK.exec(source)
  if (match === null || match[0].length > REACH.link) {
    const [label] = LABEL.exec(source.slice(at)) ?? [""]
    const after = source.slice(at + label.length, at + label.length + 2)
    if (after === "](") return openFor(REACH.link)
    // Brackets are more often no link at all.
    return openFor(after === "" || after === "]" || after === "\\" ? REACH.label : 0)
  }
  const [whole, label = "", address = ""] = match
  const end = at + whole.length
  if (options.keepsMarkup) return { end, text: "", spans: [plainSpan(whole)], isCertain: true }
  const words = wholeInline(label, options)
  // The target is always shown: words of the model must not hide where a link leads.
  const isSame = label === address
  const spans = [
    ...words.map((span): Span => ({ ...span, inks: [...span.inks, "underline"], href: address })),
    ...(isSame || label === "" ? [] : [plainSpan(" (")]),
    ...(isSame ? [] : [{ text: address, inks: ["blue"], href: address } satisfies Span]),
    ...(isSame || label === "" ? [] : [plainSpan(")")])
  ]
  return { end, text: "", spans, isCertain: true }
}

const ADDRESS = /<(https?:\/\/[^\s<>]{1,500})>|https?:\/\/[^\s<>`"|]{1,500}/y

const addressAt = (source: string, at: number): Token | Open | undefined => {
  ADDRESS.lastIndex = at
  const match = ADDRESS.exec(source)
  if (match === null) return source.startsWith("<http", at) ? openFor(REACH.address) : undefined
  const found = match[1] ?? match[0].replace(/[.,;:!?)\]}'*_~]+$/, "")
  const end = at + (match[1] === undefined ? found.length : match[0].length)
  const spans: ReadonlyArray<Span> = [{ text: found, inks: ["blue", "underline"], href: found }]
  const isCertain = at + match[0].length < source.length
  return isCertain ? { end, text: "", spans, isCertain } : { end, text: "", spans, isCertain, reach: REACH.address }
}
