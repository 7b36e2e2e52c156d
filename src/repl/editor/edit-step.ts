/**
 * One input from the terminal applied to the state: which table of keys is asked, in which order, and which mode of vi
 * a key belongs to.
 */

import type { Key, Paste, Text } from "../terminal/key.ts"
import {
  type EditContext,
  type EditState,
  initialVi,
  inserted,
  moved,
  redone,
  type Step,
  type ViState
} from "./edit-state.ts"
import { controlXKeys, emacsKeys } from "./emacs-keys.ts"
import { graphemes } from "./grapheme.ts"
import { isLongPaste, withLongPaste } from "./long-paste.ts"
import { left, lineEnd, lineStart } from "./motions.ts"
import { searchKey, searchText } from "./reverse-search.ts"
import { runVi } from "./vi-commands.ts"
import { parseVi } from "./vi-motions.ts"

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

/**
 * Vi keys: which mode a key belongs to, and how the keys of a normal-mode command come together.
 * Characters typed in normal mode, one command after another.
 */
const viText = (state: EditState, text: string, context: EditContext): Step => {
  let current: Step = { state }
  const characters = graphemes(text)
  for (const [index, character] of characters.entries()) {
    if (current.wish !== undefined) return current
    // A command may have switched to insert mode in between.
    if (current.state.vi?.mode !== "normal") {
      return { state: inserted(current.state, characters.slice(index).join("")) }
    }
    current = normalKey(current.state, character, context)
  }
  return current
}

const viKey = (state: EditState, name: string, context: EditContext): Step => {
  const vi = state.vi ?? initialVi
  if (name === "esc") return leaveMode(state, vi)
  // Esc and a key that followed too fast to be told from Alt and that key.
  if (name.startsWith("M-") && name.length === 3 && emacsOf(vi, name) === undefined) {
    return viText(leaveMode(state, vi).state, name.slice(2), context)
  }
  if (vi.mode === "insert") return emacsKeys[name]?.(state, context) ?? { state }
  const step = normalSpecial(state, name, context)
  return { ...step, state: step.state.vi?.mode === "normal" ? onCharacter(step.state) : step.state }
}

/** In insert mode only those Alt keys that nobody types as Esc and a command. */
const emacsOf = (vi: ViState, name: string) =>
  vi.mode === "insert" && name === "M-enter" ? emacsKeys[name] : undefined

const NORMAL_KEYS: Readonly<Record<string, string>> = {
  left: "h",
  backspace: "h",
  right: "l",
  up: "k",
  down: "j",
  home: "0",
  end: "$",
  delete: "x"
}

const normalSpecial = (state: EditState, name: string, context: EditContext): Step => {
  const letter = NORMAL_KEYS[name]
  if (letter !== undefined) return normalKey(state, letter, context)
  if (name === "C-r") return { state: redone(state) }
  return emacsKeys[name]?.(state, context) ?? { state }
}

const normalKey = (state: EditState, character: string, context: EditContext): Step => {
  const vi = state.vi ?? initialVi
  const keys = vi.pending + character
  const command = parseVi(keys)
  if (command._tag === "Incomplete") return { state: { ...state, vi: { ...vi, pending: keys } } }
  const ready: EditState = { ...state, vi: { ...vi, pending: "" } }
  if (command._tag === "Unknown") return { state: ready }
  const step = runVi(ready, command, keys, context)
  return step.state.vi?.mode === "normal" ? { ...step, state: onCharacter(step.state) } : step
}

/** Out of insert mode; in normal mode, forgets a started command, or means Esc itself on an empty line. */
const leaveMode = (state: EditState, vi: ViState): Step => {
  if (vi.mode === "normal") {
    const idle = { ...state, vi: { ...vi, pending: "" } }
    return state.text === "" && vi.pending === "" ? { state: idle, wish: "escape" } : { state: idle }
  }
  if (state.text === "" && vi.inserting === undefined) return { state, wish: "escape" }
  const { inserting } = vi
  const typed = inserting === undefined ? "" : state.text.slice(inserting.from, state.cursor)
  const back = state.cursor > lineStart(state.text, state.cursor) ? left(state.text, state.cursor) : state.cursor
  return {
    state: {
      ...moved(state, back),
      vi: {
        ...vi,
        mode: "normal",
        pending: "",
        inserting: undefined,
        lastChange: inserting === undefined ? vi.lastChange : { keys: inserting.keys, typed }
      }
    }
  }
}

/** In normal mode the cursor stands on a character, not behind the last one. */
const onCharacter = (state: EditState): EditState => {
  const { cursor, text } = state
  const isBehind = cursor === lineEnd(text, cursor) && cursor > lineStart(text, cursor)
  return isBehind ? { ...state, cursor: left(text, cursor) } : state
}
