/**
 * The ladder of ways to find a text that the model wrote from memory: exact, then ever more forgiving. The first rung
 * that finds anything wins, also when it finds too much: a doubtful match is never preferred to a clear refusal.
 *
 * All texts here have `\n` line endings. The replacement is always literal; `$&` and the like mean nothing.
 */
import { levenshtein } from "../../kernel/levenshtein.ts"
import { replaceLines } from "./reindent.ts"
import { type SourceLine, sourceLines } from "./source-lines.ts"
import type { TextEdit } from "./text-edit.ts"
import { tokenRung } from "./token-rung.ts"

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
