/** The TOML files of a folder of commands, and the names that they give. Links are followed, each folder once. */
import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"

/** A folder with more is not one of commands. */
const MAX_FILES = 1_000
const MAX_DEPTH = 20
const MAX_SEGMENT = 50

/** In plain order. A folder that does not exist holds none. */
export const findCommandFiles = (folder: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const seen = new Set<string>()
  const visit = (place: string, depth: number): void => {
    const real = realOf(place)
    if (real === undefined || seen.has(real) || depth > MAX_DEPTH) return
    seen.add(real)
    for (const entry of entriesOf(place)) {
      const path = join(place, entry.name)
      const kind = entry.isSymbolicLink() ? targetOf(path) : entry
      if (kind?.isDirectory() === true) visit(path, depth + 1)
      else if (kind?.isFile() === true && entry.name.endsWith(".toml") && found.length < MAX_FILES) found.push(path)
    }
  }
  visit(folder, 0)
  return found.toSorted()
}

/** `git/fix.toml` is `/git:fix`. */
export const commandName = (folder: string, file: string): string =>
  relative(folder, file)
    .slice(0, -".toml".length)
    .split(sep)
    .map((segment) => segment.replace(/[^A-Za-z0-9_.-]/g, "_"))
    .map((segment) => (segment.length > MAX_SEGMENT ? `${segment.slice(0, MAX_SEGMENT - 3)}...` : segment))
    .join(":")

const entriesOf = (folder: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const targetOf = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
