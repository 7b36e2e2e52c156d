/**
 * The ladder of ways to find a text that the model wrote from memory: exact, then ever more forgiving. The first rung
 * that finds anything wins, also when it finds too much: a doubtful match is never preferred to a clear refusal.
 *
 * All texts here have `\n` line endings. The replacement is always literal; `$&` and the like mean nothing.
 */
import { levenshtein } from "../../kernel/levenshtein.ts"
import type { TextEdit } from "./text-edit.ts"

export type Rung = "exact" | "flexible" | "token" | "fuzzy"

export interface LadderMatch {
  readonly rung: Rung
  /** One for each occurrence, in order. */
  readonly edits: ReadonlyArray<TextEdit>
}

/** The text stands in the file letter by letter. */
const exactRung = (content: string, search: string, replacement: string): ReadonlyArray<TextEdit> => {
  const edits: Array<TextEdit> = []
  if (search === "") return edits
  let start = content.indexOf(search)
  while (start >= 0) {
    const end = start + search.length
    edits.push({ start, end, text: replacement })
    start = content.indexOf(search, end)
  }
  return edits
}

/**
 * Second rung: the same lines, whatever blanks stand at their two ends. The block put in takes the indentation found.
 *
 * Lines are looked for as letters of a word would be (Knuth, Morris, Pratt), so that a long search in a file of equal
 * lines stays linear.
 */
const flexibleRung = (content: string, search: string, replacement: string): ReadonlyArray<TextEdit> => {
  const wanted = sourceLines(search).map((line) => line.text.trim())
  // A search of blank lines alone would match every gap between paragraphs.
  if (wanted.every((line) => line === "")) return []

  const lines = sourceLines(content)
  const edits: Array<TextEdit> = []
  for (const start of runsOf(
    lines.map((line) => line.text.trim()),
    wanted
  )) {
    const first = lines[start]
    const last = lines[start + wanted.length - 1]
    if (first !== undefined && last !== undefined) edits.push(replaceLines(first, last, replacement))
  }
  return edits
}

/** Where `wanted` begins in `lines`, without overlaps. */
const runsOf = (lines: ReadonlyArray<string>, wanted: ReadonlyArray<string>): ReadonlyArray<number> => {
  const borders = bordersOf(wanted)
  const starts: Array<number> = []
  let matched = 0
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && wanted[matched] !== line) matched = borders[matched - 1] ?? 0
    if (wanted[matched] === line) matched++
    if (matched === wanted.length) {
      starts.push(index + 1 - matched)
      matched = 0
    }
  }
  return starts
}

/** For each beginning of `wanted`: the length of the longest shorter beginning that it also ends with. */
const bordersOf = (wanted: ReadonlyArray<string>): ReadonlyArray<number> => {
  const borders = [0]
  let length = 0
  for (const line of wanted.slice(1)) {
    while (length > 0 && wanted[length] !== line) length = borders[length - 1] ?? 0
    if (wanted[length] === line) length++
    borders.push(length)
  }
  return borders
}

// Last rung: nearly the same lines. A window of the file counts as a match when at most a tenth of the searched text
// has to be changed to get it; differences of blanks alone weigh a tenth of other ones.

const SHORTEST_SEARCH = 10
const WORK_LIMIT = 400_000_000
const ACCEPTED_SCORE = 0.1
const BLANK_WEIGHT = 0.1

const fuzzyRung = (content: string, search: string, replacement: string): ReadonlyArray<TextEdit> => {
  const wanted = sourceLines(search)
  const block = joinTrimmed(wanted)
  const lines = sourceLines(content)
  if (search.length < SHORTEST_SEARCH || block.trim() === "" || lines.length * search.length ** 2 > WORK_LIMIT)
    return []

  const candidates: Array<{ readonly index: number; readonly score: number }> = []
  const score = scorer(block)
  for (let index = 0; index + wanted.length <= lines.length; index++) {
    const found = score(joinTrimmed(lines.slice(index, index + wanted.length)))
    if (found <= ACCEPTED_SCORE) candidates.push({ index, score: found })
  }

  const chosen: Array<number> = []
  for (const { index } of candidates.sort((left, right) => left.score - right.score || left.index - right.index)) {
    if (chosen.every((other) => Math.abs(other - index) >= wanted.length)) chosen.push(index)
  }
  return chosen
    .sort((left, right) => left - right)
    .flatMap((index) => {
      const first = lines[index]
      const last = lines[index + wanted.length - 1]
      return first === undefined || last === undefined ? [] : [replaceLines(first, last, replacement)]
    })
}

const joinTrimmed = (lines: ReadonlyArray<SourceLine>): string => lines.map((line) => line.text.trimEnd()).join("\n")

const withoutBlanks = (text: string): string => text.replace(/\s+/g, "")

/** Gives infinity as soon as a window cannot reach the accepted score, without measuring the rest of it. */
const scorer = (block: string): ((window: string) => number) => {
  const length = block.length
  const bare = withoutBlanks(block)
  const limit = ACCEPTED_SCORE * length
  return (window) => {
    if (Math.abs(window.length - length) > length) return Number.POSITIVE_INFINITY
    const essential = levenshtein(bare, withoutBlanks(window), Math.floor(limit))
    if (essential > limit) return Number.POSITIVE_INFINITY
    const affordable = Math.floor(essential + (limit - essential) / BLANK_WEIGHT)
    const all = levenshtein(block, window, affordable)
    return (essential + (all - essential) * BLANK_WEIGHT) / length
  }
}

/**
 * Third rung: the same words and brackets in the same order, whatever blanks and line breaks stand between them.
 *
 * Text that repeats the beginning of the search on every line would make this quadratic, so the work is bounded; beyond
 * the bound the rung finds nothing. Two guards keep it from reaching into text that was not meant: the match takes as many lines as the search, give or
 * take one, and a word matches a whole word only (`x = b` is not found in `x = bar`).
 */
const tokenRung = (content: string, search: string, replacement: string): ReadonlyArray<TextEdit> => {
  const tokens = tokensOf(search)
  if (tokens.length === 0) return []
  const wantedLines = countLines(search.trim())

  const edits: Array<TextEdit> = []
  const work = { left: MAX_TOKENS_TRIED }
  let lineStart = 0
  while (lineStart < content.length) {
    const first = skip(content, lineStart, INDENT)
    const end = matchTokens(content, first, tokens, work)
    if (work.left < 0) return []
    if (end >= 0 && Math.abs(countLines(content.slice(first, end)) - wantedLines) <= 1) {
      edits.push({ start: lineStart, end, text: reindent(replacement, content.slice(lineStart, first)) })
    }
    const next = content.indexOf("\n", Math.max(lineStart, end))
    if (next < 0) break
    lineStart = next + 1
  }
  return edits
}

const MAX_TOKENS_TRIED = 5_000_000

const INDENT = /[ \t]/
const BLANK = /\s/
const WORD = /[\p{L}\p{N}_$]/u

const tokensOf = (search: string): ReadonlyArray<string> =>
  search
    .replace(/[():[\]{}<>=]/g, " $& ")
    .split(/\s+/)
    .filter((token) => token !== "")

/** Where the last token ends, or -1. */
const matchTokens = (content: string, from: number, tokens: ReadonlyArray<string>, work: { left: number }): number => {
  let position = from
  for (const [index, token] of tokens.entries()) {
    if (--work.left < 0) return -1
    const at = index === 0 ? position : skip(content, position, BLANK)
    const touches = index > 0 && at === position
    if (touches && joinsWords(content, at)) return -1
    if (!content.startsWith(token, at)) return -1
    position = at + token.length
  }
  return joinsWords(content, position) ? -1 : position
}

/** The characters on both sides belong to one word. */
const joinsWords = (content: string, position: number): boolean =>
  WORD.test(content.charAt(position - 1)) && WORD.test(content.charAt(position))

const skip = (content: string, from: number, kind: RegExp): number => {
  let position = from
  while (position < content.length && kind.test(content.charAt(position))) position++
  return position
}

const countLines = (text: string): number => {
  let count = 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}

const RUNGS = [
  ["exact", exactRung],
  ["flexible", flexibleRung],
  ["token", tokenRung],
  ["fuzzy", fuzzyRung]
] as const

/** `null` when no rung finds the text. */
export const climbLadder = (content: string, search: string, replacement: string): LadderMatch | null => {
  for (const [rung, find] of RUNGS) {
    const edits = find(content, search, replacement)
    if (edits.length > 0) return { rung, edits }
  }
  return null
}

/** Moves a block of text to the indentation of the place where it is put. */
const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""

/** The first line of the block sets what counts as its own indentation; blank lines become empty. */
const reindent = (block: string, target: string): string => {
  const lines = block.split("\n")
  const own = indentOf(lines[0] ?? "")
  return lines
    .map((line) => {
      if (line.trim() === "") return ""
      return target + (line.startsWith(own) ? line.slice(own.length) : line.trimStart())
    })
    .join("\n")
}

/**
 * Replaces whole lines by a block. The line ending of the last one stays where it is, so its form is kept; an empty
 * block takes the lines away with their endings.
 */
const replaceLines = (first: SourceLine, last: SourceLine, block: string): TextEdit => {
  if (block === "") return { start: first.start, end: last.end + (last.hasNewline ? 1 : 0), text: "" }
  const text = reindent(block, indentOf(first.text))
  return {
    start: first.start,
    end: last.end,
    text: last.hasNewline && text.endsWith("\n") ? text.slice(0, -1) : text
  }
}

/** A text cut into lines that remember where they stood. */
interface SourceLine {
  readonly text: string
  readonly start: number
  /** Before the line's `\n`. */
  readonly end: number
  readonly hasNewline: boolean
}

/** A final `\n` ends the last line and does not begin another one. */
const sourceLines = (content: string): ReadonlyArray<SourceLine> => {
  const lines: Array<SourceLine> = []
  let start = 0
  while (start < content.length) {
    const newline = content.indexOf("\n", start)
    const end = newline < 0 ? content.length : newline
    lines.push({ text: content.slice(start, end), start, end, hasNewline: newline >= 0 })
    start = end + 1
  }
  return lines
}
