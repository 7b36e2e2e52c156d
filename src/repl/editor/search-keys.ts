/** Keys while the history is searched. */
import type { EditContext, Step } from "./command.ts"
import type { EditState } from "./edit-state.ts"
import {
  abandonSearch,
  endSearch,
  searchFor,
  searchNewer,
  searchOlder,
  withoutLastCharacter
} from "./reverse-search.ts"

/** `onwards`: the search is over, and the key still has its usual meaning. */
export type SearchStep = Step | { readonly state: EditState; readonly onwards: string }

export const searchText = (state: EditState, text: string, { history }: EditContext): EditState =>
  searchFor(state, history, (state.search?.query ?? "") + text)

export const searchKey = (state: EditState, name: string, context: EditContext): SearchStep => {
  const { history } = context
  switch (name) {
    case "C-r":
      return { state: searchOlder(state, history) }
    case "C-s":
      return { state: searchNewer(state, history) }
    case "backspace":
    case "C-h":
      return { state: searchFor(state, history, withoutLastCharacter(state.search?.query ?? "")) }
    case "C-g":
    case "C-c":
      return { state: abandonSearch(state) }
    case "esc":
      return { state: endSearch(state) }
    case "enter": {
      const found = endSearch(state)
      return { state: { ...found, cursor: found.text.length }, wish: "send" }
    }
    default:
      return { state: endSearch(state), onwards: name }
  }
}
