/**
 * What arrives from the terminal, decoded. Keys have one canonical name each, so that a table of bindings is a plain
 * record: `C-` for Ctrl, `M-` for Alt, `S-` for Shift where the terminal tells it, in this order.
 */
export type TerminalInput = Text | Key | Paste | Resized | Resumed | Closed

/** Printable characters that were typed one after another. */
export interface Text {
  readonly _tag: "Text"
  readonly text: string
}

/** Such as `enter`, `esc`, `tab`, `S-tab`, `backspace`, `up`, `C-left`, `M-f`, `C-a`, `M-enter`, `f5`. */
export interface Key {
  readonly _tag: "Key"
  readonly name: string
}

/** Text that was pasted in one piece; its line breaks are `\n`. */
export interface Paste {
  readonly _tag: "Paste"
  readonly text: string
}

/** The window has another size. */
export interface Resized {
  readonly _tag: "Resized"
}

/** The program goes on after Ctrl-Z, or has the terminal back from another program: the screen may hold anything. */
export interface Resumed {
  readonly _tag: "Resumed"
}

/** Nothing will ever be typed again: end of input, or the terminal is gone. */
export interface Closed {
  readonly _tag: "Closed"
}

export const textInput = (text: string): Text => ({ _tag: "Text", text })
export const key = (name: string): Key => ({ _tag: "Key", name })
export const paste = (text: string): Paste => ({ _tag: "Paste", text })
export const resized: Resized = { _tag: "Resized" }
export const resumed: Resumed = { _tag: "Resumed" }
export const closed: Closed = { _tag: "Closed" }
