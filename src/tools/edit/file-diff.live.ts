/**
 * Differences between two states of a file: the unified diff for people, the counts for statistics, and the changed
 * regions that the model gets back. Loaded at the first edit.
 *
 * Line endings are not compared: a diff in which every line differs by an invisible character helps nobody.
 */
import { basename } from "node:path"
import { formatPatch, OMIT_HEADERS, type StructuredPatch, type StructuredPatchHunk, structuredPatch } from "diff"
import type { DiffStat, FileDiff } from "../../protocol/confirmation.ts"
import { toUnixNewlines } from "./text-edit.ts"

/** The cost of an exact diff grows with the square of this; beyond it the changed middle is shown as one replacement. */
const MAX_EDIT_LENGTH = 1_500
const DIFF_CONTEXT = 3
const SNIPPET_CONTEXT = 5
const SNIPPET_MAX_LINES = 400
const SNIPPET_MAX_CHARS = 20_000

export interface FileDiffInput {
  readonly path: string
  /** `null` for a file that does not exist. */
  readonly before: string | null
  readonly after: string
  /** How the two states are called in the diff, such as `Current` and `Proposed`. */
  readonly labels: readonly [string, string]
  /** What the model had proposed, where a person changed it before it was written. */
  readonly proposed?: string | undefined
}

export const fileDiff = (input: FileDiffInput): FileDiff => {
  const before = input.before ?? ""
  const proposed = input.proposed ?? input.after
  const name = basename(input.path)
  const patch = patchOf(name, before, input.after, DIFF_CONTEXT)
  const isAsProposed = proposed === input.after
  return {
    fileDiff: `${heading(name, input.labels)}${patch.hunks.length === 0 ? "" : formatPatch(patch, OMIT_HEADERS)}`,
    fileName: name,
    filePath: input.path,
    originalContent: input.before,
    newContent: input.after,
    diffStat: diffStat(
      countChanges(isAsProposed ? patch.hunks : patchOf(name, before, proposed, DIFF_CONTEXT).hunks),
      isAsProposed ? NO_CHANGES : countChanges(patchOf(name, proposed, input.after, DIFF_CONTEXT).hunks)
    ),
    isNewFile: input.before === null
  }
}

/** Written here, because the library spells names beyond ASCII in octal, and people are asked about this text. */
const heading = (name: string, [before, after]: FileDiffInput["labels"]): string =>
  `Index: ${name}\n${"=".repeat(67)}\n--- ${name}\t${before}\n+++ ${name}\t${after}\n`

/** The lines of `after` around each change, with `...` for what is left out. The whole text where nothing differs. */
export const changedRegions = (before: string, after: string): string => {
  const lines = toUnixNewlines(after).split("\n")
  if (lines.at(-1) === "") lines.pop()
  const hunks = before === "" ? [] : patchOf("", before, after, 0).hunks
  const ranges = hunks.length === 0 ? [[1, lines.length] as const] : mergeRanges(hunks, lines.length)
  const shown: Array<string> = []
  let lastLine = 0
  for (const [from, to] of ranges) {
    if (from > lastLine + 1) shown.push("...")
    shown.push(...lines.slice(from - 1, to))
    lastLine = to
  }
  if (lastLine < lines.length) shown.push("...")
  return limited(shown)
}

/** Line ranges of the new text, widened by the context and joined where they meet. */
const mergeRanges = (hunks: ReadonlyArray<StructuredPatchHunk>, total: number) => {
  const ranges: Array<[number, number]> = []
  for (const hunk of hunks) {
    const from = Math.max(1, hunk.newStart - SNIPPET_CONTEXT)
    const to = Math.min(total, hunk.newStart + Math.max(0, hunk.newLines - 1) + SNIPPET_CONTEXT)
    const last = ranges.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else ranges.push([from, to])
  }
  return ranges
}

const limited = (lines: ReadonlyArray<string>): string => {
  const kept: Array<string> = []
  let chars = 0
  for (const line of lines) {
    chars += line.length + 1
    if (kept.length >= SNIPPET_MAX_LINES || chars > SNIPPET_MAX_CHARS) {
      return [...kept, `... (${lines.length - kept.length} more lines are not shown)`].join("\n")
    }
    kept.push(line)
  }
  return kept.join("\n")
}

const diffStat = (model: Changes, user: Changes): DiffStat => ({
  model_added_lines: model.addedLines,
  model_removed_lines: model.removedLines,
  model_added_chars: model.addedChars,
  model_removed_chars: model.removedChars,
  user_added_lines: user.addedLines,
  user_removed_lines: user.removedLines,
  user_added_chars: user.addedChars,
  user_removed_chars: user.removedChars
})

const NO_CHANGES = { addedLines: 0, removedLines: 0, addedChars: 0, removedChars: 0 }

type Changes = Readonly<typeof NO_CHANGES>

const countChanges = (hunks: ReadonlyArray<StructuredPatchHunk>): Changes => {
  const counts = { ...NO_CHANGES }
  for (const line of hunks.flatMap((hunk) => hunk.lines)) {
    if (line.startsWith("+")) {
      counts.addedLines++
      counts.addedChars += line.length - 1
    } else if (line.startsWith("-")) {
      counts.removedLines++
      counts.removedChars += line.length - 1
    }
  }
  return counts
}

const patchOf = (name: string, before: string, after: string, context: number): StructuredPatch => {
  const old = toUnixNewlines(before)
  const fresh = toUnixNewlines(after)
  const exact = structuredPatch(name, name, old, fresh, undefined, undefined, {
    context,
    maxEditLength: MAX_EDIT_LENGTH
  })
  return exact ?? { ...structuredPatch(name, name, "", ""), hunks: [middleReplaced(old, fresh)] }
}

/** One hunk for everything between the lines that both texts begin and end with. */
const middleReplaced = (before: string, after: string): StructuredPatchHunk => {
  const old = before.split("\n")
  const fresh = after.split("\n")
  const shorter = Math.min(old.length, fresh.length)
  let head = 0
  while (head < shorter && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++
  const removed = old.slice(head, old.length - tail)
  const added = fresh.slice(head, fresh.length - tail)
  return {
    oldStart: head + 1,
    oldLines: removed.length,
    newStart: head + 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
  }
}
