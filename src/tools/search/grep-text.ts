/** The result of a text search as the model reads it. Pure. */
import { relative } from "node:path"
import type { FoundLine } from "../../files/text-search.ts"
import { shownName } from "./shown-name.ts"

const MAX_LINE_POINTS = 2000

export interface GrepReport {
  readonly pattern: string
  /** Such as `in path "src"`. */
  readonly where: string
  readonly include: string | undefined
  readonly isCut: boolean
  readonly matchCount: number
  readonly files: ReadonlyArray<FileLines>
}

export interface FileLines {
  readonly path: string
  /** As shown to the model. */
  readonly name: string
  readonly lines: ReadonlyArray<FoundLine>
}

export const grepText = (report: GrepReport): string => {
  if (report.matchCount === 0)
    return `No matches found for pattern "${report.pattern}" ${report.where}${filterNote(report)}.`
  const noun = report.matchCount === 1 ? "match" : "matches"
  const limit = report.isCut ? ` (results limited to ${report.matchCount} matches for performance)` : ""
  const header = `Found ${report.matchCount} ${noun} for pattern "${report.pattern}" ${report.where}${filterNote(report)}${limit}:`
  const blocks = report.files.map(({ lines, name }) =>
    [
      `File: ${shownName(name)}`,
      ...lines.map((line) => `L${line.lineNumber}${line.isContext ? "-" : ":"} ${shortText(line.line)}`),
      "---"
    ].join("\n")
  )
  return [header, "---", ...blocks].join("\n")
}

export const namesText = (report: GrepReport): string => {
  if (report.matchCount === 0) return grepText(report)
  const names = report.files.map(({ name }) => shownName(name)).sort()
  const limit = report.isCut ? " (results limited)" : ""
  const noun = names.length === 1 ? "file" : "files"
  return [
    `Found ${names.length} ${noun} with matches for pattern "${report.pattern}" ${report.where}${filterNote(report)}${limit}:`,
    ...names
  ].join("\n")
}

/** Lines by file, in order; each line once, a match before the context it also is. */
export const byFile = (lines: ReadonlyArray<FoundLine>, base: (path: string) => string): ReadonlyArray<FileLines> => {
  const files = new Map<string, Map<number, FoundLine>>()
  for (const line of lines) {
    const known = files.get(line.path) ?? new Map<number, FoundLine>()
    files.set(line.path, known)
    if (known.get(line.lineNumber)?.isContext !== false) known.set(line.lineNumber, line)
  }
  return [...files]
    .map(([path, found]) => ({
      path,
      name: relative(base(path), path) || path,
      lines: [...found.values()].sort((a, b) => a.lineNumber - b.lineNumber)
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

const filterNote = ({ include }: GrepReport): string => (include === undefined ? "" : ` (filter: "${include}")`)

const shortText = (line: string): string => {
  const text = line.trimEnd()
  if (text.length <= MAX_LINE_POINTS) return text
  const points = [...text]
  return points.length <= MAX_LINE_POINTS ? text : `${points.slice(0, MAX_LINE_POINTS).join("")}... [truncated]`
}
