/** Finds the `@` references in a prompt. Pure: whether something of that name exists is somebody else's question. */
import type { LineRange } from "../../tools/search/text-page.ts"

export type PromptPiece =
  | { readonly _tag: "Text"; readonly text: string }
  /** `written`: without the `@`, as it stands in the prompt. `isMidWord`: a letter comes before it, as in an address. */
  | { readonly _tag: "Reference"; readonly written: string; readonly isMidWord: boolean }

/**
 * A reference runs on over quoted text, escaped characters and everything that is not a space or punctuation. A full
 * stop belongs to it only inside: `see @a.ts.` names `a.ts`. Only ASCII spaces end it, because file names have others.
 */
const REFERENCE = /(?<!\\)@((?:"[^"\n]*"|\\.|\.(?![ \t\n\r\f\v]|$)|[^ \t\n\r\f\v,;!?()[\]{}.])+)/g

export const splitReferences = (prompt: string): ReadonlyArray<PromptPiece> => {
  const pieces: Array<PromptPiece> = []
  let end = 0
  for (const match of prompt.matchAll(REFERENCE)) {
    if (match.index > end) pieces.push(textPiece(prompt.slice(end, match.index)))
    const isMidWord = /[\p{L}\p{N}._+-]$/u.test(prompt.slice(Math.max(0, match.index - 2), match.index))
    pieces.push({ _tag: "Reference", written: match[1] ?? "", isMidWord })
    end = match.index + match[0].length
  }
  if (end < prompt.length) pieces.push(textPiece(prompt.slice(end)))
  return pieces
}

/** `\@` is how a person writes an `@` that refers to nothing. */
const textPiece = (text: string): PromptPiece => ({ _tag: "Text", text: text.replaceAll("\\@", "@") })

/** One way to read a reference. */
export interface ReferenceReading {
  readonly path: string
  readonly range: LineRange | undefined
  /** What stood at the end of the reference and is text after all. */
  readonly rest: string
}

/** All ways to read it, the most literal first: a file may really be called `notes:10`. */
export const readingsOf = (written: string): ReadonlyArray<ReferenceReading> => {
  const isQuoteOpen = written.split('"').length % 2 === 0
  const rest = (isQuoteOpen ? /[:'"`>]+$/ : /[:'`>]+$/).exec(written)?.[0] ?? ""
  const shorter = written.slice(0, written.length - rest.length)
  const literal = [reading(written, ""), ...ranged(written, "")]
  return rest === "" || shorter === "" ? literal : [...literal, reading(shorter, rest), ...ranged(shorter, rest)]
}

const reading = (written: string, rest: string): ReferenceReading => ({
  path: plainPath(written),
  range: undefined,
  rest
})

const ranged = (written: string, rest: string): ReadonlyArray<ReferenceReading> => {
  const [, path, start, end] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(written) ?? []
  if (path === undefined || start === undefined) return []
  const first = Math.max(1, Number(start))
  const last = Number(end ?? start)
  return last < first ? [] : [{ path: plainPath(path), range: { start: first, end: last }, rest }]
}

/** Without quotes and escapes. A backslash before a letter stays: it separates folders on Windows. */
const plainPath = (written: string): string =>
  written.replace(/"([^"\n]*)"/g, "$1").replace(/\\([^A-Za-z0-9._-])/g, "$1")

/** A path as a reference that means it. */
export const escapedPath = (path: string): string => path.replace(/[ \t,;!?()[\]{}"\\]/g, "\\$&")

interface ReferenceAt {
  /** Where the path begins: behind the `@`. */
  readonly from: number
  /** The path as typed up to the cursor, without escapes. */
  readonly typed: string
}

/** The reference that the cursor stands in, for completion. */
export const referenceAt = (text: string, cursor: number): ReferenceAt | undefined => {
  const before = text.slice(0, cursor)
  // A sentence ends with a full stop, but a name that is being typed goes on.
  const pieces = splitReferences(`${before}\u0001`)
  const last = pieces.at(-1)
  if (last?._tag !== "Reference") return undefined
  const written = last.written.slice(0, -1)
  return { from: before.length - written.length, typed: written.replace(/["\\](?=.|$)/g, "") }
}
