/** A key's command: a pure function of the state, and now and then a wish that only the reader can fulfil. */
import { type EditState, moved } from "./edit-state.ts"
import type { Motion } from "./motions.ts"

export type Wish =
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
  readonly wish?: Wish | undefined
}

export interface EditContext {
  /** Oldest first. */
  readonly history: ReadonlyArray<string>
  /** A text may have several lines. */
  readonly multiLine: boolean
}

export type Command = (state: EditState, context: EditContext) => Step

export const changing =
  (change: (state: EditState) => EditState): Command =>
  (state) => ({ state: change(state) })

export const moving = (motion: Motion): Command => changing((state) => moved(state, motion(state.text, state.cursor)))

export const wishing =
  (wish: Wish): Command =>
  (state) => ({ state, wish })
