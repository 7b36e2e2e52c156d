/** Where the cursor goes: pure functions from a text and a place to a place. */
import { nextBorder, previousBorder } from "./grapheme.ts"

export type Motion = (text: string, at: number) => number

export const left: Motion = previousBorder
export const right: Motion = nextBorder

export const lineStart: Motion = (text, at) => (at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1)

export const lineEnd: Motion = (text, at) => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end
}

export const textStart: Motion = () => 0
export const textEnd: Motion = (text) => text.length

const WORD = /[\p{L}\p{N}\p{M}]/u

const isWord = (text: string, at: number): boolean => WORD.test(characterAt(text, at))
const isBlank = (text: string, at: number): boolean => /\s/.test(text.charAt(at))

/** Emacs words: letters and digits. */
export const wordRight: Motion = (text, at) => {
  let place = at
  while (place < text.length && !isWord(text, place)) place = nextBorder(text, place)
  while (place < text.length && isWord(text, place)) place = nextBorder(text, place)
  return place
}

export const wordLeft: Motion = (text, at) => {
  let place = at
  while (place > 0 && !isWord(text, previousBorder(text, place))) place = previousBorder(text, place)
  while (place > 0 && isWord(text, previousBorder(text, place))) place = previousBorder(text, place)
  return place
}

/** Words between blanks, as Ctrl-W takes them. */
export const blankWordLeft: Motion = (text, at) => {
  let place = at
  while (place > 0 && isBlank(text, place - 1)) place -= 1
  while (place > 0 && !isBlank(text, place - 1)) place -= 1
  return place
}

/** The same place one line up or down; `undefined` at the first or last line. `goal` is the wanted column. */
export const verticalMove = (text: string, at: number, lines: -1 | 1, goal: number): number | undefined => {
  const start = lineStart(text, at)
  const end = lineEnd(text, at)
  if (lines === -1 ? start === 0 : end === text.length) return undefined
  const from = lines === -1 ? lineStart(text, start - 1) : end + 1
  const to = lineEnd(text, from)
  let place = from
  for (let column = 0; column < goal && place < to; column += 1) place = nextBorder(text, place)
  return place
}

/** Characters between the start of the line and the place. */
export const columnOf = (text: string, at: number): number => {
  let column = 0
  for (let place = lineStart(text, at); place < at; place = nextBorder(text, place)) column += 1
  return column
}

export const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0)
