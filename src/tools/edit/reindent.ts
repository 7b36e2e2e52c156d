/** Moves a block of text to the indentation of the place where it is put. */
import type { SourceLine } from "./source-lines.ts"
import type { TextEdit } from "./text-edit.ts"

export const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""

/** The first line of the block sets what counts as its own indentation; blank lines become empty. */
export const reindent = (block: string, target: string): string => {
  const lines = block.split("\n")
  const own = indentOf(lines[0] ?? "")
  return lines
    .map((line) => {
      if (line.trim() === "") return ""
      return target + (line.startsWith(own) ? line.slice(own.length) : line.trimStart())
    })
    .join("\n")
}

/**
 * Replaces whole lines by a block. The line ending of the last one stays where it is, so its form is kept; an empty
 * block takes the lines away with their endings.
 */
export const replaceLines = (first: SourceLine, last: SourceLine, block: string): TextEdit => {
  if (block === "") return { start: first.start, end: last.end + (last.hasNewline ? 1 : 0), text: "" }
  const text = reindent(block, indentOf(first.text))
  return {
    start: first.start,
    end: last.end,
    text: last.hasNewline && text.endsWith("\n") ? text.slice(0, -1) : text
  }
}
