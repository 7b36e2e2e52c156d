/**
 * The state of one reading, the two ways to change its text (move and edit), and what a key's command is made of.
 * Everything the editor remembers between two keys is here, so that a key is a pure function of state to state.
 */

import type { Motion } from "./motions.ts"
import type { Search } from "./reverse-search.ts"

/** What the last key did to the text; repeats of the same kind join in one step of undo, or in one kill. */
export type EditKind = "type" | "erase" | "kill" | "yank" | "other"

export interface Snapshot {
  readonly text: string
  readonly cursor: number
}

export interface EditState extends Snapshot {
  readonly undo: ReadonlyArray<Snapshot>
  readonly redo: ReadonlyArray<Snapshot>
  /** `undefined` after a key that changed nothing. */
  readonly lastEdit: EditKind | undefined
  /** The kill ring, newest last. */
  readonly kills: ReadonlyArray<string>
  /** Where the last yank stands, and how far back in the ring it came from. */
  readonly yanked: { readonly from: number; readonly to: number; readonly age: number } | undefined
  /** The column that Up and Down try to keep. */
  readonly goal: number | undefined
  /** Entry of the history that is shown, and the line that was being written before. */
  readonly walk: { readonly index: number; readonly draft: Snapshot } | undefined
  readonly search: Search | undefined
  /** First key of a pair: Ctrl-X, or the one that takes the next key literally, or a first Esc. */
  readonly prefix: "C-x" | "quote" | "esc" | undefined
  readonly vi: ViState | undefined
  /** Long ones stand in the text as a mark, and are put in its place when it is sent. */
  readonly pastes: ReadonlyArray<LongPaste>
}

export interface LongPaste {
  readonly mark: string
  readonly text: string
}

export interface TextChange {
  readonly from: number
  readonly to: number
  readonly insert: string
  /** Behind what was inserted when absent. */
  readonly cursor?: number
}

const MAX_UNDO = 500

export const initialState = (options: {
  readonly text?: string | undefined
  readonly kills?: ReadonlyArray<string> | undefined
  readonly viKeys?: boolean | undefined
}): EditState => ({
  text: options.text ?? "",
  cursor: options.text?.length ?? 0,
  undo: [],
  redo: [],
  lastEdit: undefined,
  kills: options.kills ?? [],
  yanked: undefined,
  goal: undefined,
  walk: undefined,
  search: undefined,
  prefix: undefined,
  vi: options.viKeys === true ? initialVi : undefined,
  pastes: []
})

export const moved = (state: EditState, cursor: number): EditState => ({
  ...state,
  cursor,
  lastEdit: undefined,
  yanked: undefined,
  goal: undefined
})

export const edited = (state: EditState, change: TextChange, kind: EditKind): EditState => {
  const joins = kind === state.lastEdit && (kind === "erase" || (kind === "type" && !/\s/.test(change.insert)))
  return {
    ...state,
    text: state.text.slice(0, change.from) + change.insert + state.text.slice(change.to),
    cursor: change.cursor ?? change.from + change.insert.length,
    undo: joins ? state.undo : [...state.undo.slice(-MAX_UNDO), { text: state.text, cursor: state.cursor }],
    redo: [],
    lastEdit: kind,
    yanked: undefined,
    goal: undefined
  }
}

export const inserted = (state: EditState, text: string): EditState =>
  edited(state, { from: state.cursor, to: state.cursor, insert: text }, "type")

/** Another text altogether, such as an entry of the history. */
export const replaced = (state: EditState, text: string): EditState =>
  edited(state, { from: 0, to: state.text.length, insert: text }, "other")

export const undone = (state: EditState): EditState => {
  const last = state.undo.at(-1)
  if (last === undefined) return state
  return {
    ...moved(state, last.cursor),
    text: last.text,
    undo: state.undo.slice(0, -1),
    redo: [...state.redo, { text: state.text, cursor: state.cursor }]
  }
}

export const redone = (state: EditState): EditState => {
  const last = state.redo.at(-1)
  if (last === undefined) return state
  return {
    ...moved(state, last.cursor),
    text: last.text,
    undo: [...state.undo, { text: state.text, cursor: state.cursor }],
    redo: state.redo.slice(0, -1)
  }
}

export type EditorWish =
  /** The text is complete. */
  | "send"
  /** Ctrl-D on an empty line. */
  | "end"
  | "interrupt"
  /** Esc on an empty line. */
  | "escape"
  | "complete"
  /** The text goes through the user's own editor. */
  | "edit-outside"
  | "clear"
  /** Lines before the cursor are finished: they may be printed above. */
  | "settle"

export interface Step {
  readonly state: EditState
  readonly wish?: EditorWish | undefined
}

export interface EditContext {
  /** Oldest first. */
  readonly history: ReadonlyArray<string>
  /** A text may have several lines. */
  readonly multiLine: boolean
}

export type EditCommand = (state: EditState, context: EditContext) => Step

/** A key's command: a pure function of the state, and now and then a wish that only the reader can fulfil. */
export const changing =
  (change: (state: EditState) => EditState): EditCommand =>
  (state) => ({ state: change(state) })

export const moving = (motion: Motion): EditCommand =>
  changing((state) => moved(state, motion(state.text, state.cursor)))

export const wishing =
  (wish: EditorWish): EditCommand =>
  (state) => ({ state, wish })

export interface ViState {
  readonly mode: "insert" | "normal"
  /** Keys of a command that is not complete yet: a count, an operator, `f`. */
  readonly pending: string
  readonly lastFind: ViFind | undefined
  /** Keys of the last change, for `.`; text that was typed with it. */
  readonly lastChange: ViChange | undefined
  /** Where the insert mode began, and with which command: to know what `.` repeats. */
  readonly inserting: { readonly keys: string; readonly from: number } | undefined
}

export interface ViFind {
  readonly kind: "f" | "F" | "t" | "T"
  readonly character: string
}

interface ViChange {
  readonly keys: string
  readonly typed: string
}

/** What vi keys remember between two keys. */
export const initialVi: ViState = {
  mode: "insert",
  pending: "",
  lastFind: undefined,
  lastChange: undefined,
  inserting: undefined
}
