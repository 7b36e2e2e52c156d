/** The small edits of Emacs: exchange characters or words, change the case of a word. */
import { type EditState, edited, moved } from "./edit-state.ts"
import { left, lineStart, right, wordLeft, wordRight } from "./motions.ts"

/** Exchanges the characters around the cursor; at the end of the line, the two before it. */
export const transposeCharacters = (state: EditState): EditState => {
  const { cursor, text } = state
  if (cursor === lineStart(text, cursor)) return state
  const isAtEnd = cursor === text.length || text.charAt(cursor) === "\n"
  const middle = isAtEnd ? left(text, cursor) : cursor
  const from = left(text, middle)
  const to = right(text, middle)
  if (from === middle || text.slice(from, middle) === "\n") return state
  return edited(state, { from, to, insert: text.slice(middle, to) + text.slice(from, middle) }, "other")
}

export const transposeWords = (state: EditState): EditState => {
  const { cursor, text } = state
  const secondEnd = wordRight(text, cursor)
  const secondStart = wordLeft(text, secondEnd)
  const firstStart = wordLeft(text, secondStart)
  const firstEnd = wordRight(text, firstStart)
  if (firstEnd > secondStart || secondStart === secondEnd) return state
  const insert =
    text.slice(secondStart, secondEnd) + text.slice(firstEnd, secondStart) + text.slice(firstStart, firstEnd)
  return edited(state, { from: firstStart, to: secondEnd, insert }, "other")
}

/** Changes the word from the cursor on, and moves behind it. */
export const changeWord =
  (change: (word: string) => string) =>
  (state: EditState): EditState => {
    const end = wordRight(state.text, state.cursor)
    if (end === state.cursor) return moved(state, end)
    return edited(state, { from: state.cursor, to: end, insert: change(state.text.slice(state.cursor, end)) }, "other")
  }

export const capitalized = (word: string): string =>
  word.toLowerCase().replace(/[\p{L}\p{N}]/u, (first) => first.toUpperCase())
