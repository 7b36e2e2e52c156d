/**
 * What Tab does to the text. It inserts what all candidates have in common; when that is nothing more, the second Tab
 * lists them. The text is never sent by it.
 */
import { type EditState, edited } from "./edit-state.ts"
import type { Candidate, Completion } from "./line-editor.ts"

export interface Completed {
  readonly state: EditState
  /** Nothing could be added and Tab was pressed again: these are to be shown. */
  readonly listed: ReadonlyArray<Candidate>
}

export const completed = (state: EditState, completion: Completion, isSecondTab: boolean): Completed => {
  const { candidates, from, to = state.cursor } = completion
  const [first] = candidates
  if (first === undefined) return { state, listed: [] }
  const typed = state.text.slice(from, to)
  if (candidates.length === 1) {
    const rest = state.text.slice(to)
    const insert = first.value + (/[/=:]$/.test(first.value) || /^\s/.test(rest) ? "" : " ")
    return { state: insert === typed ? state : edited(state, { from, to, insert }, "other"), listed: [] }
  }
  const common = commonStart(candidates.map(({ value }) => value))
  if (common.length > typed.length && common.toLowerCase().startsWith(typed.toLowerCase())) {
    return { state: edited(state, { from, to, insert: common }, "other"), listed: [] }
  }
  return { state, listed: isSecondTab ? candidates : [] }
}

const commonStart = (values: ReadonlyArray<string>): string => {
  const [first = "", ...others] = values
  let length = first.length
  for (const value of others) {
    while (!value.startsWith(first.slice(0, length))) length -= 1
  }
  // Half of a pair of surrogates is no text.
  return first.slice(0, length).replace(/[\ud800-\udbff]$/, "")
}

const MAX_LISTED = 20

/** One line for each candidate, cut to the width of the window. */
export const candidateList = (candidates: ReadonlyArray<Candidate>, columns: number): string => {
  const shown = candidates.slice(0, MAX_LISTED)
  const width = Math.min(Math.max(...shown.map(({ value }) => Bun.stringWidth(value))), MAX_VALUE_WIDTH)
  const lines = shown.map(({ hint, value }) => {
    const gap = " ".repeat(Math.max(2, width + 2 - Bun.stringWidth(value)))
    const line = hint === undefined || hint === "" ? `  ${value}` : `  ${value}${gap}${hint}`
    return Bun.sliceAnsi(line, 0, Math.max(columns - 1, 1))
  })
  const rest = candidates.length - shown.length
  return [...lines, ...(rest > 0 ? [`  … ${rest} more`] : [])].join("\n")
}

const MAX_VALUE_WIDTH = 40
