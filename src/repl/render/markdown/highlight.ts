/**
 * Colours code line by line, as the lines arrive. A small scanner that knows comments, strings, numbers and keywords;
 * what it carries from one line to the next is only the comment or string that is still open.
 */
import { diffInks } from "../diff-lines.ts"
import type { Ink, Paint } from "../paint.ts"
import { type Language, languageNamed } from "./languages.ts"

/** The next line of a block of code, painted. Lines must come in order. */
export type Highlighter = (line: string) => string

/** Longer lines are data more often than code, and not worth the time. */
const LONGEST_LINE = 2_000

export const highlighterFor = (language: string, paint: Paint): Highlighter => {
  if (language === "diff" || language === "patch") return (line) => paint(line, ...diffInks(line))
  const known = languageNamed(language)
  return known === undefined ? (line) => line : scannerFor(known, paint)
}

interface Open {
  readonly close: string
  readonly inks: ReadonlyArray<Ink>
  readonly escapes: boolean
}

const scannerFor = (language: Language, paint: Paint): Highlighter => {
  const words = language.keywords.split(" ")
  const keywords = new Set(language.ignoresCase === true ? words.flatMap((word) => [word, word.toUpperCase()]) : words)
  const token = tokenPattern(language)
  let open: Open | undefined

  return (line) => {
    if (line.length > LONGEST_LINE) return line
    let painted = ""
    let at = 0
    while (at < line.length) {
      if (open !== undefined) {
        const end = endOf(line, at, open)
        painted += paint(line.slice(at, end ?? line.length), ...open.inks)
        if (end === undefined) return painted
        at = end
        open = undefined
        continue
      }
      token.lastIndex = at
      const match = token.exec(line)
      if (match === null) return painted + line.slice(at)
      const [text] = match
      painted += line.slice(at, match.index)
      at = match.index
      const opened = openedBy(text, language)
      if (opened === undefined) {
        painted += paint(text, ...inksOf(text, keywords))
        at += text.length
      } else {
        // The opening mark belongs to what it opens.
        const end = endOf(line, at + text.length, opened)
        painted += paint(line.slice(at, end ?? line.length), ...opened.inks)
        open = end === undefined && goesOn(text, language) ? opened : undefined
        at = end ?? line.length
      }
    }
    return painted
  }
}

const inksOf = (text: string, keywords: ReadonlySet<string>): ReadonlyArray<Ink> => {
  if (keywords.has(text)) return ["magenta"]
  return /^\d/.test(text) ? ["yellow"] : []
}

/** Longer marks first, so that `"""` is not taken for an empty string. */
const tokenPattern = (language: Language): RegExp => {
  const marks = [
    ...language.lineComments,
    ...language.longQuotes,
    ...language.quotes,
    ...(language.blockComment === undefined ? [] : [language.blockComment[0]])
  ].toSorted((left, right) => right.length - left.length)
  const escaped = marks.map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp([...escaped, "\\b\\d[\\w.]*", "[A-Za-z_]\\w*"].join("|"), "g")
}

const openedBy = (text: string, language: Language): Open | undefined => {
  if (language.lineComments.includes(text)) return { close: "\n", inks: ["dim"], escapes: false }
  if (language.blockComment?.[0] === text) return { close: language.blockComment[1], inks: ["dim"], escapes: false }
  return language.quotes.includes(text) || language.longQuotes.includes(text)
    ? { close: text, inks: ["green"], escapes: true }
    : undefined
}

const goesOn = (text: string, language: Language): boolean =>
  language.blockComment?.[0] === text || language.longQuotes.includes(text)

/** Where the open thing ends on this line; `undefined` when it does not. */
const endOf = (line: string, from: number, { close, escapes }: Open): number | undefined => {
  for (let at = from; at < line.length; at++) {
    if (escapes && line[at] === "\\") at++
    else if (line.startsWith(close, at)) return at + close.length
  }
  return undefined
}
