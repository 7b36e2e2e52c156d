/** One input from the terminal applied to the state: which table of keys is asked, in which order. */

import type { Key, Paste, Text } from "../terminal/key.ts"
import type { EditContext, Step } from "./command.ts"
import { type EditState, inserted } from "./edit-state.ts"
import { controlXKeys, emacsKeys } from "./emacs-keys.ts"
import { isLongPaste, withLongPaste } from "./long-paste.ts"
import { searchKey, searchText } from "./reverse-search.ts"
import { viKey, viText } from "./vi-keys.ts"

export const step = (state: EditState, input: Text | Key | Paste, context: EditContext): Step => {
  if (input._tag === "Paste") return pasted(state, input.text, context)
  if (state.prefix === "quote") return quoted({ ...state, prefix: undefined }, input)
  if (input._tag === "Text") return typed({ ...state, prefix: undefined }, input.text, context)
  return pressed(state, input.name, context)
}

const typed = (state: EditState, text: string, context: EditContext): Step => {
  if (state.search !== undefined) return { state: searchText(state, text, context) }
  if (state.vi?.mode === "normal") return viText(state, text, context)
  return { state: inserted(state, text) }
}

const pressed = (state: EditState, name: string, context: EditContext): Step => {
  if (state.search !== undefined) {
    const searching = searchKey(state, name, context)
    // A key that means nothing to the search ends it, and does what it does.
    return "onwards" in searching ? pressed(searching.state, searching.onwards, context) : searching
  }
  if (state.prefix === "C-x") {
    const command = controlXKeys[name]
    const plain = { ...state, prefix: undefined }
    return command === undefined ? { state: plain } : command(plain, context)
  }
  const before = name === "esc" ? state : { ...state, prefix: undefined }
  const after = state.vi === undefined ? emacs(before, name, context) : viKey(before, name, context)
  return after
}

const emacs = (state: EditState, name: string, context: EditContext): Step =>
  emacsKeys[name]?.(state, context) ?? { state }

/** As it is; where there is only one line, its lines are joined. */
const pasted = (state: EditState, text: string, { multiLine }: EditContext): Step => {
  const plain: EditState = { ...state, prefix: undefined, search: undefined }
  if (multiLine && isLongPaste(text)) return { state: { ...withLongPaste(plain, text), lastEdit: undefined } }
  const insert = multiLine ? text : text.replace(/\n+/g, " ").trim()
  const after = { ...inserted(plain, insert), lastEdit: undefined }
  return insert.includes("\n") ? { state: after, wish: "settle" } : { state: after }
}

/** The next key as a character of the text. */
const quoted = (state: EditState, input: Text | Key): Step => {
  if (input._tag === "Text") return { state: inserted(state, input.text) }
  const special: Readonly<Record<string, string>> = { tab: "\t", enter: "\n", esc: "\u001b", backspace: "\u007f" }
  const control = /^C-([a-z\\\]^_])$/.exec(input.name)?.[1]
  const character =
    control === undefined ? special[input.name] : String.fromCharCode(control.toUpperCase().charCodeAt(0) - 0x40)
  return { state: character === undefined ? state : inserted(state, character) }
}
