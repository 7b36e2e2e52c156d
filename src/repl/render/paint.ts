/**
 * Colours and weights. Only the basic colours are used, so that the terminal's own palette decides how they look, and
 * each piece of text switches off what it switched on: a line never colours the one after it.
 */
export type Ink =
  | "bold"
  | "dim"
  | "italic"
  | "underline"
  | "strike"
  | "red"
  | "green"
  | "yellow"
  | "blue"
  | "magenta"
  | "cyan"

export type Paint = (text: string, ...inks: ReadonlyArray<Ink>) => string

const CODES: Readonly<Record<Ink, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39]
}

export const paintWith = ({ colors }: { readonly colors: boolean }): Paint => (colors ? inColors : plain)

const plain: Paint = (text) => text

const inColors: Paint = (text, ...inks) => {
  if (text === "" || inks.length === 0) return text
  const on = inks.map((ink) => CODES[ink][0]).join(";")
  const off = [...new Set(inks.map((ink) => CODES[ink][1]))].join(";")
  return `\u001b[${on}m${text}\u001b[${off}m`
}
