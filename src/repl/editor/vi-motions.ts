/**
 * The keys of vi's normal mode, and where its motions lead. Words are runs of letters, digits and `_`, or runs of
 * other signs; big words are unblank.
 */

import type { ViFind } from "./edit-state.ts"
import { nextBorder, previousBorder } from "./grapheme.ts"
import { characterAt, lineEnd, lineStart, type Motion } from "./motions.ts"

type Kind = "blank" | "word" | "sign"

const kindAt = (text: string, at: number, isBig: boolean): Kind => {
  const character = characterAt(text, at)
  if (/\s/.test(character)) return "blank"
  return isBig || /[\p{L}\p{N}\p{M}_]/u.test(character) ? "word" : "sign"
}

export const viWordStart =
  (isBig: boolean): Motion =>
  (text, at) => {
    let place = at
    const kind = place < text.length ? kindAt(text, place, isBig) : "blank"
    while (kind !== "blank" && place < text.length && kindAt(text, place, isBig) === kind)
      place = nextBorder(text, place)
    while (place < text.length && kindAt(text, place, isBig) === "blank") place += 1
    return place
  }

export const viWordEnd =
  (isBig: boolean): Motion =>
  (text, at) => {
    let place = nextBorder(text, at)
    while (place < text.length && kindAt(text, place, isBig) === "blank") place += 1
    if (place >= text.length) return previousBorder(text, text.length)
    const kind = kindAt(text, place, isBig)
    let next = nextBorder(text, place)
    while (next < text.length && kindAt(text, next, isBig) === kind) {
      place = next
      next = nextBorder(text, place)
    }
    return place
  }

export const viWordBack =
  (isBig: boolean): Motion =>
  (text, at) => {
    let place = previousBorder(text, at)
    while (place > 0 && kindAt(text, place, isBig) === "blank") place -= 1
    const kind = kindAt(text, place, isBig)
    while (place > 0 && kindAt(text, previousBorder(text, place), isBig) === kind) place = previousBorder(text, place)
    return place
  }

export const firstNonBlank: Motion = (text, at) => {
  const end = lineEnd(text, at)
  let place = lineStart(text, at)
  while (place < end && /\s/.test(text.charAt(place))) place += 1
  return place
}

/** `f`, `F`, `t`, `T` inside the line; `undefined` when the character is not there. */
export const findInLine = (text: string, at: number, { character, kind }: ViFind): number | undefined => {
  if (kind === "f" || kind === "t") {
    const found = text.indexOf(character, nextBorder(text, at))
    if (found === -1 || found >= lineEnd(text, at)) return undefined
    return kind === "f" ? found : previousBorder(text, found)
  }
  const found = at === 0 ? -1 : text.lastIndexOf(character, at - 1)
  if (found < lineStart(text, at)) return undefined
  return kind === "F" ? found : nextBorder(text, found)
}

const PAIRS: Readonly<Record<string, readonly [string, string]>> = {
  "(": ["(", ")"],
  ")": ["(", ")"],
  b: ["(", ")"],
  "[": ["[", "]"],
  "]": ["[", "]"],
  "{": ["{", "}"],
  "}": ["{", "}"],
  B: ["{", "}"],
  "<": ["<", ">"],
  ">": ["<", ">"]
}

/** The range of `iw`, `a"`, `i(` and the like around a place. */
export const textObject = (text: string, at: number, object: string): readonly [number, number] | undefined => {
  const isInner = object.charAt(0) === "i"
  const what = object.charAt(1)
  if (what === "w" || what === "W") return wordObject(text, at, what === "W", isInner)
  const pair = PAIRS[what]
  const range = pair === undefined ? quoteRange(text, at, what) : pairRange(text, at, pair)
  if (range === undefined) return undefined
  const [open, close] = range
  return isInner ? [open + 1, close] : [open, close + 1]
}

const wordObject = (
  text: string,
  at: number,
  isBig: boolean,
  isInner: boolean
): readonly [number, number] | undefined => {
  if (at >= text.length) return undefined
  const kind = kindAt(text, at, isBig)
  let from = at
  while (from > 0 && kindAt(text, previousBorder(text, from), isBig) === kind) from = previousBorder(text, from)
  let to = at
  while (to < text.length && kindAt(text, to, isBig) === kind) to = nextBorder(text, to)
  if (!isInner) while (to < text.length && /[ \t]/.test(text.charAt(to))) to += 1
  return [from, to]
}

const quoteRange = (text: string, at: number, quote: string): readonly [number, number] | undefined => {
  const start = lineStart(text, at)
  const end = lineEnd(text, at)
  const places: Array<number> = []
  for (let place = start; place < end; place += 1) {
    if (text.charAt(place) === quote && text.charAt(place - 1) !== "\\") places.push(place)
  }
  for (let pair = 0; pair + 1 < places.length; pair += 2) {
    const [open = 0, close = 0] = places.slice(pair)
    if (at <= close) return [open, close]
  }
  return undefined
}

const pairRange = (text: string, at: number, [open, close]: readonly [string, string]) => {
  const from = openingOf(text, at, open, close)
  if (from === undefined) return undefined
  let depth = 0
  for (let to = from; to < text.length; to += 1) {
    const character = text.charAt(to)
    if (character === open) depth += 1
    if (character === close) depth -= 1
    if (depth === 0) return [from, to] as const
  }
  return undefined
}

const openingOf = (text: string, at: number, open: string, close: string): number | undefined => {
  let depth = 0
  for (let place = text.charAt(at) === close ? at - 1 : at; place >= 0; place -= 1) {
    const character = text.charAt(place)
    if (character === open && depth === 0) return place
    if (character === open) depth -= 1
    if (character === close) depth += 1
  }
  return undefined
}

export type ViCommand =
  | { readonly _tag: "Incomplete" }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Motion"; readonly count: number | undefined; readonly motion: string }
  | {
      readonly _tag: "Operator"
      readonly operator: "d" | "c" | "y"
      /** The operator again for whole lines. */
      readonly motion: string
      readonly count: number | undefined
    }
  | { readonly _tag: "Command"; readonly name: string; readonly argument: string; readonly count: number | undefined }

const COUNT = "([1-9][0-9]*)?"

const MOTION = "[hlwbeWBE0^$;,jkG| ]|gg|ge|[fFtT]."

const OBJECT = "[ia][wWbB()\\[\\]{}<>\"'`]"

const COMMAND = "[xXsSDCYpPu~iaIAoOJ.v/]"

const AS_MOTION = new RegExp(`^${COUNT}(${MOTION})$`, "su")

const AS_OPERATOR = new RegExp(`^${COUNT}([dcy])${COUNT}(${MOTION}|${OBJECT}|d|c|y)$`, "su")

const AS_COMMAND = new RegExp(`^${COUNT}(?:(${COMMAND})|r(.))$`, "su")

const AS_START = new RegExp(`^${COUNT}(?:[dcy]${COUNT}[ia]?)?(?:[gfFtTr])?$`, "su")

/** The grammar of vi's normal mode: a count, an operator, a motion or a command, from the keys typed so far. */
export const parseVi = (keys: string): ViCommand => {
  const motion = AS_MOTION.exec(keys)
  if (motion !== null) return { _tag: "Motion", count: countOf(motion[1]), motion: motion[2] ?? "" }
  const operator = AS_OPERATOR.exec(keys)
  if (operator !== null) return operatorOf(operator)
  const command = AS_COMMAND.exec(keys)
  if (command !== null) {
    const [, count, name = "r", argument = ""] = command
    return { _tag: "Command", name, argument, count: countOf(count) }
  }
  return { _tag: AS_START.test(keys) ? "Incomplete" : "Unknown" }
}

const operatorOf = ([, first, operator, second, motion = ""]: RegExpExecArray): ViCommand => {
  if (operator !== "d" && operator !== "c" && operator !== "y") return { _tag: "Unknown" }
  if (/^[dcy]$/.test(motion) && motion !== operator) return { _tag: "Unknown" }
  const count = first === undefined && second === undefined ? undefined : (countOf(first) ?? 1) * (countOf(second) ?? 1)
  return { _tag: "Operator", operator, motion, count }
}

/** More would only be a slip, and a loop that long a hang. */
const MAX_COUNT = 1000

const countOf = (digits: string | undefined): number | undefined =>
  digits === undefined ? undefined : Math.min(Number(digits), MAX_COUNT)
