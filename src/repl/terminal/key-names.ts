/**
 * From the parameters of an escape sequence to the name of a key. Covers xterm, the Linux console, rxvt, and the two
 * ways in which terminals report modified keys beyond that (`CSI code;mods u` and `CSI 27;mods;code ~`).
 */
import { key, type TerminalInput, textInput } from "./key.ts"

const BY_LETTER: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "begin",
  F: "end",
  H: "home",
  M: "enter",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  Z: "S-tab"
}

const BY_NUMBER: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12"
}

const SHIFT = 1
const ALT = 2
const CTRL = 4

/** A complete CSI or SS3 sequence without its introducer; `undefined` for one that is no key. */
export const inputOfSequence = (parameters: string, final: string): TerminalInput | undefined => {
  const [first = 0, modifiers = 1, third = 0] = parameters.split(";").map((part) => Number.parseInt(part, 10) || 0)
  if (final === "u") return inputOfCode(first, modifiers)
  if (final === "~") {
    if (first === 27) return inputOfCode(third, modifiers)
    const name = BY_NUMBER[first]
    return name === undefined ? undefined : key(withModifiers(name, modifiers))
  }
  const name = BY_LETTER[final]
  return name === undefined ? undefined : key(withModifiers(name, modifiers))
}

const CODE_NAMES: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "esc",
  127: "backspace"
}

const inputOfCode = (code: number, modifiers: number): TerminalInput | undefined => {
  const name = CODE_NAMES[code]
  if (name !== undefined) return key(withModifiers(name, modifiers))
  if (code < 32 || code > 0x10ffff) return undefined
  const character = String.fromCodePoint(code)
  const pressed = Math.max(modifiers, 1) - 1
  if ((pressed & ~SHIFT) === 0) return textInput((pressed & SHIFT) === 0 ? character : character.toUpperCase())
  return key(withModifiers(character === " " ? "space" : character.toLowerCase(), modifiers))
}

/** Terminals count modifiers from 1: 2 is Shift, 3 Alt, 5 Ctrl, and sums of these. */
const withModifiers = (name: string, modifiers: number): string => {
  const pressed = Math.max(modifiers, 1) - 1
  const prefix = `${pressed & CTRL ? "C-" : ""}${pressed & ALT ? "M-" : ""}${pressed & SHIFT ? "S-" : ""}`
  return prefix + name
}

/** The name of a control character, or of DEL. */
export const controlName = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code === 0x0d) return "enter"
  if (code === 0x09) return "tab"
  if (code === 0x1b) return "esc"
  if (code === 0x7f) return "backspace"
  if (code === 0) return "C-space"
  return `C-${String.fromCharCode(code + 0x40).toLowerCase()}`
}

/** Alt and a key arrive as Esc and the key. */
export const altName = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code >= 0x20 && code !== 0x7f) return character === " " ? "M-space" : `M-${character}`
  const name = controlName(character)
  return name.startsWith("C-") ? `C-M-${name.slice(2)}` : `M-${name}`
}
