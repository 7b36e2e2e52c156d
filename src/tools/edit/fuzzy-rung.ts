/**
 * Last rung: nearly the same lines. A window of the file counts as a match when at most a tenth of the searched text
 * has to be changed to get it; differences of blanks alone weigh a tenth of other ones.
 */
import { levenshtein } from "../../kernel/levenshtein.ts"
import { replaceLines } from "./reindent.ts"
import { type SourceLine, sourceLines } from "./source-lines.ts"
import type { TextEdit } from "./text-edit.ts"

const SHORTEST_SEARCH = 10
const WORK_LIMIT = 400_000_000
const ACCEPTED_SCORE = 0.1
const BLANK_WEIGHT = 0.1

export const fuzzyRung = (content: string, search: string, replacement: string): ReadonlyArray<TextEdit> => {
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
