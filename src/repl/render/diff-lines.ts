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

export const changeCount = (added: number, removed: number): string => `+${added} -${removed}`
