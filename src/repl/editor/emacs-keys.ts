/** The keys of Emacs, as readline and every shell have them. Vi's insert mode uses them as well. */
import {
  changing,
  type EditCommand,
  type EditState,
  edited,
  inserted,
  moved,
  moving,
  redone,
  replaced,
  undone,
  wishing
} from "./edit-state.ts"
import { enter } from "./enter-key.ts"
import {
  blankWordLeft,
  columnOf,
  left,
  lineEnd,
  lineStart,
  type Motion,
  right,
  textEnd,
  textStart,
  verticalMove,
  wordLeft,
  wordRight
} from "./motions.ts"
import { startSearch } from "./reverse-search.ts"

/** The line that was being written waits below the newest entry. */
const walkTo = (state: EditState, history: ReadonlyArray<string>, index: number): EditState => {
  const draft = state.walk?.draft ?? { text: state.text, cursor: state.cursor }
  if (index >= history.length) {
    return { ...replaced(state, draft.text), cursor: draft.cursor, walk: undefined }
  }
  return { ...replaced(state, history[index] ?? ""), walk: { index, draft } }
}

const older = (state: EditState, history: ReadonlyArray<string>): EditState => {
  const index = (state.walk?.index ?? history.length) - 1
  return index < 0 ? state : walkTo(state, history, index)
}

const newer = (state: EditState, history: ReadonlyArray<string>): EditState =>
  state.walk === undefined ? state : walkTo(state, history, state.walk.index + 1)

/** The last word of the newest entry, as `M-.` inserts it. */
const lastArgument = (history: ReadonlyArray<string>): string => history.at(-1)?.trimEnd().match(/\S+$/)?.[0] ?? ""

/** Exchanges the characters around the cursor; at the end of the line, the two before it. */
const transposeCharacters = (state: EditState): EditState => {
  const { cursor, text } = state
  if (cursor === lineStart(text, cursor)) return state
  const isAtEnd = cursor === text.length || text.charAt(cursor) === "\n"
  const middle = isAtEnd ? left(text, cursor) : cursor
  const from = left(text, middle)
  const to = right(text, middle)
  if (from === middle || text.slice(from, middle) === "\n") return state
  return edited(state, { from, to, insert: text.slice(middle, to) + text.slice(from, middle) }, "other")
}

const transposeWords = (state: EditState): EditState => {
  const { cursor, text } = state
  const secondEnd = wordRight(text, cursor)
  const secondStart = wordLeft(text, secondEnd)
  const firstStart = wordLeft(text, secondStart)
  const firstEnd = wordRight(text, firstStart)
  if (firstEnd > secondStart || secondStart === secondEnd) return state
  const insert =
    text.slice(secondStart, secondEnd) + text.slice(firstEnd, secondStart) + text.slice(firstStart, firstEnd)
  return edited(state, { from: firstStart, to: secondEnd, insert }, "other")
}

/** Changes the word from the cursor on, and moves behind it. */
const changeWord =
  (change: (word: string) => string) =>
  (state: EditState): EditState => {
    const end = wordRight(state.text, state.cursor)
    if (end === state.cursor) return moved(state, end)
    return edited(state, { from: state.cursor, to: end, insert: change(state.text.slice(state.cursor, end)) }, "other")
  }

const capitalized = (word: string): string =>
  word.toLowerCase().replace(/[\p{L}\p{N}]/u, (first) => first.toUpperCase())

/** Up and Down: through the lines of the text, then through the history. */
export const vertical =
  (lines: -1 | 1): EditCommand =>
  (state, { history }) => {
    const goal = state.goal ?? columnOf(state.text, state.cursor)
    const place = verticalMove(state.text, state.cursor, lines, goal)
    if (place !== undefined) return { state: { ...moved(state, place), goal } }
    return { state: lines === -1 ? older(state, history) : newer(state, history) }
  }

export const newLine: EditCommand = (state, { multiLine }) =>
  multiLine ? { state: inserted(state, "\n"), wish: "settle" } : { state, wish: "send" }

export const enterKey: EditCommand = (state, { multiLine }) => {
  if (!multiLine) return { state, wish: "send" }
  const after = enter(state)
  return { state: after.state, wish: after.isSent ? "send" : "settle" }
}

const endOrDelete: EditCommand = (state) =>
  state.text === "" ? { state, wish: "end" } : { state: eraseTo(right)(state) }

/** To the end of the line; there, the line break. */
const restOfLine: Motion = (text, at) => Math.max(lineEnd(text, at), text.charAt(at) === "\n" ? at + 1 : at)

/** A second Esc clears the line; it can be yanked back. */
const escapeKey: EditCommand = (state) => {
  if (state.text === "") return { state, wish: "escape" }
  if (state.prefix !== "esc") return { state: { ...state, prefix: "esc" } }
  return { state: clearedLine({ ...state, prefix: undefined }) }
}

const clearedLine = (state: EditState): EditState => killRange(moved(state, state.text.length), 0, state.text.length)

const insertLastArgument: EditCommand = (state, { history }) => ({ state: inserted(state, lastArgument(history)) })

/** Cutting text into the kill ring and putting it back. Kills one after another are one entry. */
const MAX_KILLS = 60

/** Cuts what lies between the cursor and the place the motion leads to. */
const killTo =
  (motion: Motion) =>
  (state: EditState): EditState => {
    const place = motion(state.text, state.cursor)
    return killRange(state, Math.min(place, state.cursor), Math.max(place, state.cursor))
  }

export const killRange = (state: EditState, from: number, to: number): EditState => {
  if (from === to) return state
  const cut = state.text.slice(from, to)
  const isBackward = to === state.cursor
  const last = state.lastEdit === "kill" ? state.kills.at(-1) : undefined
  const joined = last === undefined ? cut : isBackward ? cut + last : last + cut
  const older = last === undefined ? state.kills : state.kills.slice(0, -1)
  return {
    ...edited(state, { from, to, insert: "" }, "kill"),
    kills: [...older.slice(-MAX_KILLS), joined]
  }
}

const yank = (state: EditState): EditState => {
  const text = state.kills.at(-1)
  if (text === undefined) return state
  const { cursor } = state
  return {
    ...edited(state, { from: cursor, to: cursor, insert: text }, "yank"),
    yanked: { from: cursor, to: cursor + text.length, age: 0 }
  }
}

/** Right after a yank: what was killed before that, instead. */
const yankOlder = (state: EditState): EditState => {
  const { yanked } = state
  if (yanked === undefined || state.kills.length === 0) return state
  const age = (yanked.age + 1) % state.kills.length
  const text = state.kills.at(-1 - age) ?? ""
  return {
    ...edited(state, { from: yanked.from, to: yanked.to, insert: text }, "yank"),
    yanked: { from: yanked.from, to: yanked.from + text.length, age }
  }
}

/** Removes without keeping, as Backspace and Delete do. */
const eraseTo =
  (motion: Motion) =>
  (state: EditState): EditState => {
    const place = motion(state.text, state.cursor)
    if (place === state.cursor) return moved(state, place)
    const from = Math.min(place, state.cursor)
    return edited(state, { from, to: Math.max(place, state.cursor), insert: "" }, "erase")
  }

export const emacsKeys: Readonly<Record<string, EditCommand>> = {
  "C-a": moving(lineStart),
  home: moving(lineStart),
  "C-e": moving(lineEnd),
  end: moving(lineEnd),
  "C-home": moving(textStart),
  "C-end": moving(textEnd),
  "C-b": moving(left),
  left: moving(left),
  "C-f": moving(right),
  right: moving(right),
  "M-b": moving(wordLeft),
  "C-left": moving(wordLeft),
  "M-left": moving(wordLeft),
  "M-f": moving(wordRight),
  "C-right": moving(wordRight),
  "M-right": moving(wordRight),
  up: vertical(-1),
  down: vertical(1),
  "C-p": vertical(-1),
  "C-n": vertical(1),
  "M-<": (state, { history }) => ({ state: history.length === 0 ? state : walkTo(state, history, 0) }),
  "M->": (state, { history }) => ({ state: state.walk === undefined ? state : walkTo(state, history, history.length) }),
  "C-r": (state, { history }) => ({ state: startSearch(state, history) }),
  "M-.": insertLastArgument,
  backspace: changing(eraseTo(left)),
  "C-h": changing(eraseTo(left)),
  delete: changing(eraseTo(right)),
  "C-d": endOrDelete,
  "C-k": changing(killTo(restOfLine)),
  "C-u": changing(killTo(lineStart)),
  "C-w": changing(killTo(blankWordLeft)),
  "M-backspace": changing(killTo(wordLeft)),
  "C-M-h": changing(killTo(wordLeft)),
  "M-d": changing(killTo(wordRight)),
  "C-delete": changing(killTo(wordRight)),
  "C-y": changing(yank),
  "M-y": changing(yankOlder),
  "C-t": changing(transposeCharacters),
  "M-t": changing(transposeWords),
  "M-u": changing(changeWord((word) => word.toUpperCase())),
  "M-l": changing(changeWord((word) => word.toLowerCase())),
  "M-c": changing(changeWord(capitalized)),
  "C-_": changing(undone),
  "C-M-_": changing(redone),
  "C-v": changing((state) => ({ ...state, prefix: "quote" })),
  "C-q": changing((state) => ({ ...state, prefix: "quote" })),
  "C-x": changing((state) => ({ ...state, prefix: "C-x" })),
  "C-j": newLine,
  "M-enter": newLine,
  "S-enter": newLine,
  "C-enter": newLine,
  enter: enterKey,
  tab: wishing("complete"),
  esc: escapeKey,
  "C-c": wishing("interrupt"),
  "C-g": wishing("edit-outside"),
  "C-l": wishing("clear")
}

/** After Ctrl-X. */
export const controlXKeys: Readonly<Record<string, EditCommand>> = {
  "C-e": wishing("edit-outside"),
  "C-u": changing(undone),
  "C-c": wishing("interrupt")
}
