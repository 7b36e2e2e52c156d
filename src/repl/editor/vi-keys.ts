/** Vi keys: which mode a key belongs to, and how the keys of a normal-mode command come together. */
import type { EditContext, Step } from "./command.ts"
import { type EditState, inserted, moved, redone } from "./edit-state.ts"
import { emacsKeys } from "./emacs-keys.ts"
import { graphemes } from "./grapheme.ts"
import { left, lineEnd, lineStart } from "./motions.ts"
import { runVi } from "./vi-commands.ts"
import { parseVi } from "./vi-grammar.ts"
import { initialVi, type ViState } from "./vi-state.ts"

/** Characters typed in normal mode, one command after another. */
export const viText = (state: EditState, text: string, context: EditContext): Step => {
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

export const viKey = (state: EditState, name: string, context: EditContext): Step => {
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
