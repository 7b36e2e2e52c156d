/** A long paste is one mark in the line, `[pasted 3,000 lines]`, and the text itself in what is sent. Pure. */
import { type EditState, inserted, type LongPaste } from "./edit-state.ts"

const MOST_LINES = 5
const MOST_CHARACTERS = 500

export const isLongPaste = (text: string): boolean =>
  text.length > MOST_CHARACTERS || text.split("\n", MOST_LINES + 1).length > MOST_LINES

/** The mark at the cursor. Two of the same length have different ones. */
export const withLongPaste = (state: EditState, text: string): EditState => {
  const what = sizeOf(text)
  const count = state.pastes.filter(({ mark }) => mark.startsWith(`[pasted ${what}`)).length
  const mark = count === 0 ? `[pasted ${what}]` : `[pasted ${what}, ${count + 1}]`
  return { ...inserted(state, mark), pastes: [...state.pastes, { mark, text }] }
}

/** The text as it is sent. A mark that was changed by hand is text like any other. */
export const unfolded = ({ pastes, text }: { readonly pastes: ReadonlyArray<LongPaste>; readonly text: string }) => {
  if (pastes.length === 0) return text
  const byMark = new Map(pastes.map((paste) => [paste.mark, paste.text]))
  return text.replace(/\[pasted [\d,]+ (?:lines|characters)(?:, \d+)?\]/g, (mark) => byMark.get(mark) ?? mark)
}

const sizeOf = (text: string): string => {
  const lines = text.replace(/\n$/, "").split("\n").length
  return lines === 1 ? `${grouped(text.length)} characters` : `${grouped(lines)} lines`
}

const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ",")
