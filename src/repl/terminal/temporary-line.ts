/**
 * How the one temporary line gets onto the screen: pure functions from what stands there to the characters that change
 * it. Only CR, erase-to-end-of-line, cursor-right and the line's own colours are used, so nothing above it can be hit.
 */
export interface TemporaryLine {
  /** One line without line breaks; SGR sequences are allowed. It is cut to the width of the window. */
  readonly text: string
  /** Where the cursor stands, in cells from the left; at the end when absent. */
  readonly cursor?: number
}

/** What stands at the bottom. The cursor is in its row. */
export interface Drawn {
  readonly text: string
  /** In cells from the left. */
  readonly cursor: number
  readonly isCursorAtEnd: boolean
}

const CLEAR = "\r\u001b[K"

/** As it fits the window. The last column stays free: a character there makes terminals wrap, each in its own way. */
export const fit = ({ cursor, text }: TemporaryLine, columns: number): Drawn => {
  const room = Math.max(columns - 1, 1)
  const fitting = Bun.stringWidth(text) <= room ? text : cut(text, room)
  const width = Bun.stringWidth(fitting)
  const at = Math.min(cursor ?? width, width)
  return { text: fitting, cursor: at, isCursorAtEnd: at === width }
}

/** A wide character on the border is kept by `sliceAnsi`, though only half of it has room. */
const cut = (text: string, room: number): string => {
  const sliced = Bun.sliceAnsi(text, 0, room)
  return Bun.stringWidth(sliced) <= room ? sliced : Bun.sliceAnsi(text, 0, room - 1)
}

/** Characters that turn what was drawn into the wanted line. Text at the end is only added, as an echo would. */
export const draw = (old: Drawn | undefined, wanted: Drawn): string => {
  if (old === undefined) return wanted.text + placeCursor(wanted)
  if (old.text === wanted.text) return old.cursor === wanted.cursor ? "" : moveTo(wanted.cursor)
  if (old.isCursorAtEnd && wanted.text.startsWith(old.text)) {
    return wanted.text.slice(old.text.length) + placeCursor(wanted)
  }
  return `\r${wanted.text}\u001b[K${placeCursor(wanted)}`
}

export const erase = (old: Drawn | undefined): string => (old === undefined || old.text === "" ? "" : CLEAR)

/** Lines that stay, over the temporary one. A line of which the start stands there already is only completed. */
export const settle = (old: Drawn | undefined, lines: string): string =>
  old?.isCursorAtEnd === true && old.text !== "" && lines.startsWith(old.text)
    ? lines.slice(old.text.length)
    : erase(old) + lines

const placeCursor = ({ cursor, isCursorAtEnd }: Drawn): string => (isCursorAtEnd ? "" : moveTo(cursor))

const moveTo = (cell: number): string => (cell === 0 ? "\r" : `\r\u001b[${cell}C`)
