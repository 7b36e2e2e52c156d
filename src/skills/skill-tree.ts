/** The files of a skill's folder, indented, so that the model knows what it may read; at most 200 of them. */
import { readdirSync } from "node:fs"
import { join } from "node:path"

const MAX_ITEMS = 200
const CLOSED = new Set([".git", "node_modules"])

export const skillTree = (directory: string): string => {
  const lines: Array<string> = []
  let left = MAX_ITEMS
  const visit = (folder: string, indent: string): void => {
    for (const { isFolder, name } of entriesOf(folder)) {
      if (left === 0) {
        lines.push(`${indent}...`)
        return
      }
      left -= 1
      lines.push(`${indent}${name}${isFolder ? "/" : ""}`)
      if (isFolder && !CLOSED.has(name)) visit(join(folder, name), `${indent}  `)
    }
  }
  lines.push(`${directory}/`)
  visit(directory, "  ")
  return lines.join("\n")
}

/** Links are named, not followed. */
const entriesOf = (folder: string): ReadonlyArray<{ readonly name: string; readonly isFolder: boolean }> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    return []
  }
}
