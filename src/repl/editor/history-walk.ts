/** Up and Down through what was entered before. The line that was being written waits below the newest entry. */
import { type EditState, replaced } from "./edit-state.ts"

export const walkTo = (state: EditState, history: ReadonlyArray<string>, index: number): EditState => {
  const draft = state.walk?.draft ?? { text: state.text, cursor: state.cursor }
  if (index >= history.length) {
    return { ...replaced(state, draft.text), cursor: draft.cursor, walk: undefined }
  }
  return { ...replaced(state, history[index] ?? ""), walk: { index, draft } }
}

export const older = (state: EditState, history: ReadonlyArray<string>): EditState => {
  const index = (state.walk?.index ?? history.length) - 1
  return index < 0 ? state : walkTo(state, history, index)
}

export const newer = (state: EditState, history: ReadonlyArray<string>): EditState =>
  state.walk === undefined ? state : walkTo(state, history, state.walk.index + 1)

/** The last word of the newest entry, as `M-.` inserts it. */
export const lastArgument = (history: ReadonlyArray<string>): string =>
  history.at(-1)?.trimEnd().match(/\S+$/)?.[0] ?? ""
