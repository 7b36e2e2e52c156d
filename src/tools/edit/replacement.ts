/**
 * What a `replace` call would make of a text, or why it cannot. Pure: the tool reads and writes around it.
 */
import { Either } from "effect"
import { ToolFailure } from "../tool.ts"
import { climbLadder, type Rung } from "./ladder.ts"
import { applyEdits, toFileEdits, toUnixNewlines } from "./text-edit.ts"

export interface ReplacementRequest {
  /** For messages. */
  readonly path: string
  readonly search: string
  readonly replacement: string
  readonly allowMultiple: boolean
  /** Exactly so many matches are wanted; `undefined`: one, or any number with `allowMultiple`. */
  readonly expected?: number | undefined
}

export interface Replacement {
  readonly newContent: string
  readonly occurrences: number
  readonly rung: Rung
  /** First and last line of each match in the old text, from 1. */
  readonly lineRanges: ReadonlyArray<readonly [number, number]>
}

export const replaceIn = (content: string, request: ReplacementRequest): Either.Either<Replacement, ToolFailure> => {
  const source = toUnixNewlines(content)
  const search = toUnixNewlines(request.search)
  const replacement = toUnixNewlines(request.replacement)

  const match = climbLadder(source, search, replacement)
  if (match === null) return Either.left(notFound(request.path))
  const found = match.edits.length
  const wanted = request.expected ?? (request.allowMultiple ? found : 1)
  if (found !== wanted) return Either.left(wrongCount(request, found, wanted))
  if (search === replacement) return Either.left(noChange(request.path, "old_string and new_string are identical"))

  const newContent = applyEdits(content, toFileEdits(content, match.edits))
  if (newContent === content) return Either.left(noChange(request.path, "the file already has this text there"))
  return Either.right({
    newContent,
    occurrences: found,
    rung: match.rung,
    lineRanges: match.edits.map(({ end, start }) => [lineAt(source, start), lineAt(source, Math.max(start, end - 1))])
  })
}

const lineAt = (text: string, position: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) line++
  return line
}

const notFound = (path: string) =>
  new ToolFailure({
    type: "edit_no_occurrence_found",
    message:
      `Nothing was changed: old_string was not found in ${path}. Read the file again and copy the text to be ` +
      "replaced exactly, with its indentation and line breaks.",
    display: "The text to be replaced was not found."
  })

const wrongCount = (request: ReplacementRequest, found: number, wanted: number) =>
  new ToolFailure({
    type: "edit_expected_occurrence_mismatch",
    message:
      `Nothing was changed: old_string matches ${found} places in ${request.path}, but ${wanted} ${wanted === 1 ? "was" : "were"} ` +
      "expected. Add surrounding lines to old_string to make it unique, or set allow_multiple to replace every match.",
    display: `Expected ${wanted} match(es), found ${found}.`
  })

const noChange = (path: string, reason: string) =>
  new ToolFailure({
    type: "edit_no_change",
    message: `Nothing was changed in ${path}: ${reason}.`,
    display: "Nothing to change."
  })
