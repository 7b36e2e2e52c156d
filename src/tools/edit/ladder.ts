/**
 * The ladder of ways to find a text that the model wrote from memory: exact, then ever more forgiving. The first rung
 * that finds anything wins, also when it finds too much: a doubtful match is never preferred to a clear refusal.
 *
 * All texts here have `\n` line endings. The replacement is always literal; `$&` and the like mean nothing.
 */
import { flexibleRung } from "./flexible-rung.ts"
import { fuzzyRung } from "./fuzzy-rung.ts"
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
