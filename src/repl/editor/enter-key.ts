/**
 * What Enter does: send, or go on with another line. A backslash at the end and an open fence of code ask for another
 * line. The backslash goes away, except in a command for the shell, where it belongs to the command.
 */
import { type EditState, edited, inserted } from "./edit-state.ts"

export interface Enter {
  readonly state: EditState
  readonly isSent: boolean
}

export const enter = (state: EditState): Enter => {
  const { cursor, text } = state
  if (cursor === text.length && endsInBackslash(text)) {
    return { state: text.startsWith("!") ? inserted(state, "\n") : continued(state), isSent: false }
  }
  if (cursor === text.length && hasOpenFence(text)) return { state: inserted(state, "\n"), isSent: false }
  return { state, isSent: true }
}

/** An odd number: a doubled backslash is a backslash. */
export const endsInBackslash = (text: string): boolean => /(?:^|[^\\])(?:\\\\)*\\$/.test(text)

export const hasOpenFence = (text: string): boolean => {
  let open: string | undefined
  for (const line of text.split("\n")) {
    const fence = /^ {0,3}(`{3,})([^`]*)$/.exec(line)
    if (fence === null) continue
    const [, ticks = "", info = ""] = fence
    if (open === undefined) open = ticks
    else if (ticks.length >= open.length && info.trim() === "") open = undefined
  }
  return open !== undefined
}

const continued = (state: EditState): EditState =>
  edited(state, { from: state.cursor - 1, to: state.cursor, insert: "\n" }, "type")
