/** Cutting text into the kill ring and putting it back. Kills one after another are one entry. */
import { type EditState, edited, moved } from "./edit-state.ts"
import type { Motion } from "./motions.ts"

const MAX_KILLS = 60

/** Cuts what lies between the cursor and the place the motion leads to. */
export const killTo =
  (motion: Motion) =>
  (state: EditState): EditState => {
    const place = motion(state.text, state.cursor)
    return killRange(state, Math.min(place, state.cursor), Math.max(place, state.cursor))
  }

export const killRange = (state: EditState, from: number, to: number): EditState => {
  if (from === to) return state
  const cut = state.text.slice(from, to)
  const isBackward = to === state.cursor
  const last = state.lastEdit === "kill" ? state.kills.at(-1) : undefined
  const joined = last === undefined ? cut : isBackward ? cut + last : last + cut
  const older = last === undefined ? state.kills : state.kills.slice(0, -1)
  return {
    ...edited(state, { from, to, insert: "" }, "kill"),
    kills: [...older.slice(-MAX_KILLS), joined]
  }
}

export const yank = (state: EditState): EditState => {
  const text = state.kills.at(-1)
  if (text === undefined) return state
  const { cursor } = state
  return {
    ...edited(state, { from: cursor, to: cursor, insert: text }, "yank"),
    yanked: { from: cursor, to: cursor + text.length, age: 0 }
  }
}

/** Right after a yank: what was killed before that, instead. */
export const yankOlder = (state: EditState): EditState => {
  const { yanked } = state
  if (yanked === undefined || state.kills.length === 0) return state
  const age = (yanked.age + 1) % state.kills.length
  const text = state.kills.at(-1 - age) ?? ""
  return {
    ...edited(state, { from: yanked.from, to: yanked.to, insert: text }, "yank"),
    yanked: { from: yanked.from, to: yanked.from + text.length, age }
  }
}

/** Removes without keeping, as Backspace and Delete do. */
export const eraseTo =
  (motion: Motion) =>
  (state: EditState): EditState => {
    const place = motion(state.text, state.cursor)
    if (place === state.cursor) return moved(state, place)
    const from = Math.min(place, state.cursor)
    return edited(state, { from, to: Math.max(place, state.cursor), insert: "" }, "erase")
  }
