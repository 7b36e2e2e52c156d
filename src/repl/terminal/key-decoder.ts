/**
 * Bytes of a terminal into keys. A character or a sequence may be cut anywhere by the border of a read: what is
 * unfinished is held until the rest comes, or until the keyboard decides that a lone Esc was meant.
 */
import { type Key, key, paste, type TerminalInput, textInput } from "./key.ts"

export interface KeyDecoder {
  readonly push: (bytes: Uint8Array) => ReadonlyArray<TerminalInput>
  /** An unfinished sequence is held that may be a lone Esc: if nothing follows soon, ask for it with `flush`. */
  readonly isWaiting: () => boolean
  readonly flush: () => ReadonlyArray<TerminalInput>
  /** Forgets what is held. */
  readonly reset: () => void
}

/** `lineFeed`: the key that the character LF stands for. It is Enter where the terminal edits lines itself. */
export const makeKeyDecoder = (lineFeed: () => Key): KeyDecoder => {
  let characters = new TextDecoder()
  let held = ""
  let pasted: Array<string> | undefined

  const takePaste = (text: string, found: Array<TerminalInput>): string => {
    if (pasted === undefined) return text
    const end = text.indexOf(PASTE_END)
    if (end === -1) {
      const safe = text.length - partOfPasteEnd(text)
      pasted.push(text.slice(0, safe))
      held = text.slice(safe)
      return ""
    }
    found.push(paste((pasted.join("") + text.slice(0, end)).replace(/\r\n?/g, "\n")))
    pasted = undefined
    return text.slice(end + PASTE_END.length)
  }

  const decode = (text: string): ReadonlyArray<TerminalInput> => {
    const found: Array<TerminalInput> = []
    let rest = takePaste(text, found)
    while (rest !== "") {
      const step = decodeOne(rest, lineFeed)
      if (step === undefined) {
        held = rest
        break
      }
      rest = rest.slice(step.length)
      if (step.input !== undefined) found.push(step.input)
      if (step.startsPaste === true) {
        pasted = []
        rest = takePaste(rest, found)
      }
    }
    return found
  }

  return {
    push: (bytes) => {
      const text = held + characters.decode(bytes, { stream: true })
      held = ""
      return decode(text)
    },
    isWaiting: () => pasted === undefined && held !== "",
    flush: () => {
      const text = held
      held = ""
      if (pasted !== undefined || text === "") return []
      // Esc alone, twice, or Esc and the start of what was no sequence after all.
      if (text === ESC) return [key("esc")]
      if (text.charAt(1) === ESC) return [key("esc"), key("esc"), ...decode(text.slice(2))]
      return [key(altName(text.charAt(1))), ...(text.length > 2 ? decode(text.slice(2)) : [])]
    },
    reset: () => {
      characters = new TextDecoder()
      held = ""
      pasted = undefined
    }
  }
}

interface Decoded {
  readonly length: number
  readonly input?: TerminalInput | undefined
  readonly startsPaste?: boolean
}

const ESC = "\u001b"
const BEL = "\u0007"
const PASTE_END = "\u001b[201~"

/** Neither C0, DEL nor C1. */
const PRINTABLE = /^\P{Cc}+/u
// What follows Esc: keys as CSI and SS3, and the function keys of the Linux console.
const SEQUENCE = /^(?:\[([0-?]*)[ -/]*([@-~])|O([0-9;]*)([A-Za-z]))/
const CONSOLE = /^\[\[([A-E])/
const UNFINISHED = /^(?:|\[[0-?]*[ -/]*|\[\[|O[0-9;]*)$/
/** Starts an answer of the terminal to a question that somebody else asked; BEL or Esc `\` ends it. */
const REPORT = /^[\]P_^X]/

/** The first input of a text that is not empty; `undefined` when more of it must come first. */
const decodeOne = (text: string, lineFeed: () => Key): Decoded | undefined => {
  const printable = PRINTABLE.exec(text)
  if (printable !== null) return { length: printable[0].length, input: textInput(printable[0]) }
  const first = text.charAt(0)
  if (first === "\n") return { length: 1, input: lineFeed() }
  if (first === ESC) return decodeEscape(text)
  // C1 controls are nobody's keys.
  if (first >= "\u0080") return { length: 1 }
  return { length: 1, input: key(controlName(first)) }
}

const decodeEscape = (text: string): Decoded | undefined => {
  // Rxvt sends a second Esc for Alt.
  const isDouble = text.startsWith(ESC + ESC)
  const start = isDouble ? 2 : 1
  const body = text.slice(start)
  const console = CONSOLE.exec(body)
  if (console !== null) return { length: start + 3, input: key(`f${(console[1] ?? "A").charCodeAt(0) - 0x40}`) }
  if (UNFINISHED.test(body)) return undefined
  const sequence = SEQUENCE.exec(body)
  if (sequence !== null) return sequenceInput(sequence, start)
  if (isDouble) return { length: 1, input: key("esc") }
  if (REPORT.test(body)) return decodeReport(text)
  const character = String.fromCodePoint(body.codePointAt(0) ?? 0)
  return { length: 1 + character.length, input: key(altName(character)) }
}

const sequenceInput = (match: RegExpExecArray, start: number): Decoded => {
  const [whole, csiParameters, csiFinal, ss3Parameters = "", ss3Final = ""] = match
  const parameters = csiParameters ?? ss3Parameters
  const final = csiFinal ?? ss3Final
  const length = start + whole.length
  if (final === "~" && parameters === "200") return { length, startsPaste: true }
  // SS3 has its modifiers alone, CSI behind a first parameter.
  const input = inputOfSequence(csiFinal === undefined && parameters !== "" ? `1;${parameters}` : parameters, final)
  return { length, input: start === 2 && input?._tag === "Key" ? key(`M-${input.name}`) : input }
}

const decodeReport = (text: string): Decoded | undefined => {
  const bell = text.indexOf(BEL)
  const terminator = text.indexOf(`${ESC}\\`, 1)
  const ends = [bell === -1 ? text.length + 1 : bell + 1, terminator === -1 ? text.length + 1 : terminator + 2]
  const length = Math.min(...ends)
  return length > text.length ? undefined : { length }
}

/** How many characters at the end could be the start of the end mark. */
const partOfPasteEnd = (text: string): number => {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(PASTE_END.slice(0, length))) return length
  }
  return 0
}

/**
 * From the parameters of an escape sequence to the name of a key. Covers xterm, the Linux console, rxvt, and the two
 * ways in which terminals report modified keys beyond that (`CSI code;mods u` and `CSI 27;mods;code ~`).
 */
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
const inputOfSequence = (parameters: string, final: string): TerminalInput | undefined => {
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
const controlName = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code === 0x0d) return "enter"
  if (code === 0x09) return "tab"
  if (code === 0x1b) return "esc"
  if (code === 0x7f) return "backspace"
  if (code === 0) return "C-space"
  return `C-${String.fromCharCode(code + 0x40).toLowerCase()}`
}

/** Alt and a key arrive as Esc and the key. */
const altName = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code >= 0x20 && code !== 0x7f) return character === " " ? "M-space" : `M-${character}`
  const name = controlName(character)
  return name.startsWith("C-") ? `C-M-${name.slice(2)}` : `M-${name}`
}
