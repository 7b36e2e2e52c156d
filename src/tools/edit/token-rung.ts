/**
 * Third rung: the same words and brackets in the same order, whatever blanks and line breaks stand between them.
 *
 * Text that repeats the beginning of the search on every line would make this quadratic, so the work is bounded; beyond
 * the bound the rung finds nothing. Two guards keep it from reaching into text that was not meant: the match takes as many lines as the search, give or
 * take one, and a word matches a whole word only (`x = b` is not found in `x = bar`).
 */
import { reindent } from "./reindent.ts"
import type { TextEdit } from "./text-edit.ts"

export const tokenRung = (content: string, search: string, replacement: string): ReadonlyArray<TextEdit> => {
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
