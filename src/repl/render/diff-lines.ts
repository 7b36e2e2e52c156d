/** Lines of a unified diff and their colours. The names of the two files are left out: the reader knows the file. */
import type { Ink } from "./paint.ts"

export const diffBody = (diff: string): ReadonlyArray<string> => {
  const lines = diff.replace(/\n$/, "").split("\n")
  const start = lines.findIndex((line) => line.startsWith("@@"))
  return start === -1 ? [] : lines.slice(start)
}

export const diffInks = (line: string): ReadonlyArray<Ink> => {
  switch (line[0]) {
    case "+":
      return ["green"]
    case "-":
      return ["red"]
    case "@":
      return ["cyan"]
    case "\\":
      return ["dim"]
    default:
      return []
  }
}

export const shownDiff = (
  lines: ReadonlyArray<string>,
  { isSpoken }: { readonly isSpoken?: boolean | undefined }
): ReadonlyArray<string> => (isSpoken === true ? lines.map(spokenDiff) : lines)

/** The same in words, for those who hear it. */
const spokenDiff = (line: string): string => {
  const [, added, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
  if (added !== undefined) return count === "1" ? `at line ${added}:` : `from line ${added}, ${count} lines:`
  const word = SPOKEN_SIGNS[line[0] ?? " "]
  return word === undefined ? line : `${word}: ${line.slice(1)}`
}

const SPOKEN_SIGNS: Readonly<Record<string, string>> = { "+": "added", "-": "removed", " ": "unchanged" }

export const changeCount = (added: number, removed: number): string => `+${added} -${removed}`
