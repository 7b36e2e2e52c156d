/** Ctrl-R: looks through the history while the words to look for are typed, and what keys mean meanwhile. */
import { type EditContext, type EditState, moved, replaced, type Snapshot, type Step } from "./edit-state.ts"
import { previousBorder } from "./grapheme.ts"

export interface Search {
  readonly query: string
  /** The entry that is shown; `undefined` while nothing matches. */
  readonly index: number | undefined
  /** Where to look on from. */
  readonly from: number
  /** The line that comes back when the search is given up. */
  readonly draft: Snapshot
}

export const startSearch = (state: EditState, history: ReadonlyArray<string>): EditState => ({
  ...state,
  search: {
    query: "",
    index: undefined,
    from: history.length - 1,
    draft: { text: state.text, cursor: state.cursor }
  }
})

/** Another query: the entry that is shown stays if it still matches. */
export const searchFor = (state: EditState, history: ReadonlyArray<string>, query: string): EditState => {
  const { search } = state
  if (search === undefined) return state
  const index = query === "" ? undefined : findOlder(history, query, search.index ?? search.from)
  return shown({ ...search, query, index, from: index ?? search.from }, state, history)
}

export const searchOlder = (state: EditState, history: ReadonlyArray<string>): EditState =>
  searchOn(state, history, (query, index) => findOlder(history, query, index - 1, history[index]))

export const searchNewer = (state: EditState, history: ReadonlyArray<string>): EditState =>
  searchOn(state, history, (query, index) => findNewer(history, query, index + 1, history[index]))

export const withoutLastCharacter = (query: string): string => query.slice(0, previousBorder(query, query.length))

/** Keeps what is shown, and goes on editing it. */
export const endSearch = (state: EditState): EditState => ({ ...state, search: undefined })

export const abandonSearch = (state: EditState): EditState => {
  const { search } = state
  if (search === undefined) return state
  const back = state.text === search.draft.text ? state : replaced(state, search.draft.text)
  return { ...moved(back, search.draft.cursor), search: undefined }
}

const searchOn = (
  state: EditState,
  history: ReadonlyArray<string>,
  find: (query: string, index: number) => number | undefined
): EditState => {
  const { search } = state
  if (search?.index === undefined) return state
  const index = find(search.query, search.index)
  return index === undefined ? state : shown({ ...search, index, from: index }, state, history)
}

const shown = (search: Search, state: EditState, history: ReadonlyArray<string>): EditState => {
  const entry = search.index === undefined ? undefined : history[search.index]
  if (entry === undefined) return { ...state, search }
  const at = entry.toLowerCase().indexOf(search.query.toLowerCase())
  const next = state.text === entry ? state : replaced(state, entry)
  return { ...moved(next, Math.max(0, at)), search, walk: undefined }
}

/** Case does not matter. An entry like the one that is shown is no new finding. */
const findOlder = (history: ReadonlyArray<string>, query: string, from: number, except?: string) => {
  const wanted = query.toLowerCase()
  for (let index = Math.min(from, history.length - 1); index >= 0; index -= 1) {
    const entry = history[index] ?? ""
    if (entry !== except && entry.toLowerCase().includes(wanted)) return index
  }
  return undefined
}

const findNewer = (history: ReadonlyArray<string>, query: string, from: number, except?: string) => {
  const wanted = query.toLowerCase()
  for (let index = from; index < history.length; index += 1) {
    const entry = history[index] ?? ""
    if (entry !== except && entry.toLowerCase().includes(wanted)) return index
  }
  return undefined
}

/** `onwards`: the search is over, and the key still has its usual meaning. */
type SearchStep = Step | { readonly state: EditState; readonly onwards: string }

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
