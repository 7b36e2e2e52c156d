/** What the commands of vi's normal mode do. */
import {
  type EditContext,
  type EditState,
  edited,
  initialVi,
  inserted,
  moved,
  type Step,
  undone,
  type ViFind
} from "./edit-state.ts"
import { killRange, vertical } from "./emacs-keys.ts"
import { left, lineEnd, lineStart, right, textEnd } from "./motions.ts"
import { startSearch } from "./reverse-search.ts"
import {
  findInLine,
  firstNonBlank,
  parseVi,
  textObject,
  type ViCommand,
  viWordBack,
  viWordEnd,
  viWordStart
} from "./vi-motions.ts"

type Complete = Exclude<ViCommand, { readonly _tag: "Incomplete" | "Unknown" }>

export const runVi = (state: EditState, command: Complete, keys: string, context: EditContext): Step => {
  if (command._tag === "Motion") return runMotion(state, command, context)
  if (command._tag === "Operator") return { state: remembered(runOperator(state, command), command.operator, keys) }
  return runCommand(state, command, keys, context)
}

const runMotion = (
  state: EditState,
  { count = 1, motion }: Extract<Complete, { readonly _tag: "Motion" }>,
  context: EditContext
): Step => {
  if (motion === "j" || motion === "k") {
    let current: Step = { state }
    for (let times = 0; times < count; times += 1) current = vertical(motion === "k" ? -1 : 1)(current.state, context)
    return current
  }
  const place = placeOf(state, motion, count)
  const after = rememberedFind(state, motion)
  return { state: place === undefined ? after : moved(after, place) }
}

/** Where a motion leads; `undefined` where it cannot go. */
const placeOf = (state: EditState, motion: string, count: number): number | undefined => {
  const find = findOf(state, motion)
  let place: number | undefined = state.cursor
  for (let times = 0; times < count && place !== undefined; times += 1) {
    place = find === undefined ? simplePlace(state.text, place, motion) : findInLine(state.text, place, find)
  }
  return place
}

const simplePlace = (text: string, at: number, motion: string): number | undefined => {
  switch (motion) {
    case "h":
      return Math.max(left(text, at), lineStart(text, at))
    case "l":
    case " ":
      return Math.min(right(text, at), lineEnd(text, at))
    case "w":
    case "W":
      return viWordStart(motion === "W")(text, at)
    case "e":
    case "E":
      return viWordEnd(motion === "E")(text, at)
    case "b":
    case "B":
      return viWordBack(motion === "B")(text, at)
    case "ge":
      return left(text, viWordBack(false)(text, at))
    case "0":
    case "|":
      return lineStart(text, at)
    case "^":
      return firstNonBlank(text, at)
    case "$":
      return lineEnd(text, at)
    case "gg":
      return 0
    case "G":
      return textEnd(text, at)
    default:
      return undefined
  }
}

const REVERSED = { f: "F", F: "f", t: "T", T: "t" } as const

const findOf = (state: EditState, motion: string): ViFind | undefined => {
  const last = state.vi?.lastFind
  if (motion === ";") return last
  if (motion === ",") return last === undefined ? undefined : { ...last, kind: REVERSED[last.kind] }
  const kind = motion.charAt(0)
  if (motion.length < 2 || (kind !== "f" && kind !== "F" && kind !== "t" && kind !== "T")) return undefined
  return { kind, character: motion.slice(1) }
}

const rememberedFind = (state: EditState, motion: string): EditState => {
  const find = /^[fFtT]./su.test(motion) ? findOf(state, motion) : undefined
  return find === undefined ? state : { ...state, vi: { ...(state.vi ?? initialVi), lastFind: find } }
}

const runOperator = (
  state: EditState,
  { count = 1, motion, operator }: Extract<Complete, { readonly _tag: "Operator" }>
): EditState => {
  const range = rangeOf(state, motion === operator ? "line" : motion, operator, count)
  if (range === undefined) return state
  const [from, to] = range
  const after = rememberedFind(state, motion)
  if (operator === "y") {
    return moved({ ...after, kills: [...after.kills, after.text.slice(from, to)] }, from)
  }
  const cut = killRange({ ...after, lastEdit: undefined }, from, to)
  const killed = { ...cut, cursor: Math.min(from, cut.text.length) }
  return operator === "c" ? insertMode(killed, "") : killed
}

/** Motions that include the character they lead to. */
const INCLUSIVE = /^(?:[eE$]|ge|[ft].)$/su

const rangeOf = (state: EditState, motion: string, operator: string, count: number) => {
  const { cursor, text } = state
  if (motion === "line") return lineRange(text, cursor, operator)
  if (/^[ia]./su.test(motion)) return textObject(text, cursor, motion)
  // Changing a word leaves the blanks behind it, as vi has it.
  const isWordChange = operator === "c" && (motion === "w" || motion === "W") && /\S/.test(text.charAt(cursor))
  const effective = isWordChange ? (motion === "w" ? "e" : "E") : motion
  const find = findOf(state, motion)
  const place = placeOf(state, effective, count)
  if (place === undefined) return undefined
  const isInclusive = INCLUSIVE.test(find === undefined ? effective : `${find.kind}${find.character}`)
  const end = isInclusive && place >= cursor && effective !== "$" ? right(text, place) : place
  return [Math.min(cursor, end), Math.max(cursor, end)] as const
}

/** The whole line; deleting it takes one of its line breaks along. */
const lineRange = (text: string, at: number, operator: string): readonly [number, number] => {
  const from = lineStart(text, at)
  const to = lineEnd(text, at)
  if (operator !== "d") return [from, to]
  if (to < text.length) return [from, to + 1]
  return [Math.max(0, from - 1), to]
}

const insertMode = (state: EditState, keys: string, cursor = state.cursor): EditState => ({
  ...moved(state, cursor),
  vi: { ...(state.vi ?? initialVi), mode: "insert", inserting: { keys, from: cursor } }
})

/** What `.` will repeat. A change that goes on in insert mode is complete with the text typed there. */
const remembered = (state: EditState, operator: string, keys: string): EditState => {
  const vi = state.vi ?? initialVi
  if (operator === "y") return state
  if (vi.inserting !== undefined) return { ...state, vi: { ...vi, inserting: { ...vi.inserting, keys } } }
  return { ...state, vi: { ...vi, lastChange: { keys, typed: "" } } }
}

const runCommand = (
  state: EditState,
  { argument, count = 1, name }: Extract<Complete, { readonly _tag: "Command" }>,
  keys: string,
  context: EditContext
): Step => {
  if (name === "u") return { state: undone(state) }
  if (name === "/") return { state: startSearch(state, context.history) }
  if (name === "v") return { state, wish: "edit-outside" }
  if (name === ".") return { state: repeated(state, context) }
  return { state: remembered(changeOf(state, name, argument, count), name, keys) }
}

const changeOf = (state: EditState, name: string, argument: string, count: number): EditState => {
  const { cursor, text } = state
  const start = lineStart(text, cursor)
  const end = lineEnd(text, cursor)
  const behind = Math.min(placeOf(state, "l", count) ?? cursor, end)
  switch (name) {
    case "x":
      return killRange({ ...state, lastEdit: undefined }, cursor, behind)
    case "X":
      return killRange({ ...state, lastEdit: undefined }, placeOf(state, "h", count) ?? cursor, cursor)
    case "s":
      return insertMode(killRange(state, cursor, behind), "")
    case "S":
      return insertMode({ ...killRange(state, start, end), cursor: start }, "")
    case "D":
      return killRange(state, cursor, end)
    case "C":
      return insertMode(killRange(state, cursor, end), "")
    case "Y":
      return { ...state, kills: [...state.kills, text.slice(start, end)] }
    case "p":
    case "P":
      return put(state, name === "p" ? Math.min(right(text, cursor), end) : cursor, count)
    case "r":
      return behind === cursor
        ? state
        : edited(state, { from: cursor, to: right(text, cursor), insert: argument, cursor }, "other")
    case "~":
      return edited(state, { from: cursor, to: behind, insert: swappedCase(text.slice(cursor, behind)) }, "other")
    case "J":
      return end === text.length
        ? state
        : edited(state, { from: end, to: firstNonBlank(text, end + 1), insert: " ", cursor: end }, "other")
    case "o":
      return insertMode(inserted(moved(state, end), "\n"), "")
    case "O":
      return insertMode(edited(state, { from: start, to: start, insert: "\n", cursor: start }, "other"), "")
    case "a":
      return insertMode(state, "", Math.min(right(text, cursor), end))
    case "A":
      return insertMode(state, "", end)
    case "I":
      return insertMode(state, "", firstNonBlank(text, cursor))
    default:
      return insertMode(state, "")
  }
}

const put = (state: EditState, at: number, count: number): EditState => {
  const insert = (state.kills.at(-1) ?? "").repeat(count)
  return insert === "" ? state : edited(state, { from: at, to: at, insert, cursor: at + insert.length - 1 }, "yank")
}

const swappedCase = (text: string): string =>
  text.replace(/\p{L}/gu, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))

const repeated = (state: EditState, context: EditContext): EditState => {
  const change = state.vi?.lastChange
  if (change === undefined) return state
  const command = parseVi(change.keys)
  if (command._tag === "Incomplete" || command._tag === "Unknown") return state
  const after = runVi(state, command, change.keys, context).state
  if (after.vi?.mode !== "insert") return after
  const typed = inserted(after, change.typed)
  return {
    ...moved(typed, change.typed === "" ? typed.cursor : left(typed.text, typed.cursor)),
    vi: { ...after.vi, mode: "normal", inserting: undefined, lastChange: change }
  }
}
