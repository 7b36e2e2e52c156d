/**
 * What a kept answer stands on: files by their content, folders by their names, places where nothing was. A mark is checked
 * by size and times first, and by content only where these differ: a fresh check-out has the same files at other times.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"

export type SourceMark =
  | {
      readonly kind: "file"
      readonly path: string
      readonly size: number
      /** Milliseconds, with what the system has behind the point. */
      readonly mtime: number
      /** Changes with every change, and cannot be set back. */
      readonly ctime: number
      readonly sha256: string
    }
  | { readonly kind: "names"; readonly path: string; readonly sha256: string }
  | { readonly kind: "absent"; readonly path: string }

/** Larger ones are not worth reading anew for every question. */
const MAX_FILE_BYTES = 64 * 1024 * 1024
const MAX_FILES = 5_000

/** `undefined`: it cannot be read, or is too large to be kept an eye on. */
export const markOf = (path: string): SourceMark | undefined => {
  const stats = statOf(path)
  if (stats === undefined) return { kind: "absent", path }
  if (stats.isDirectory()) return { kind: "names", path, sha256: namesDigest(path) }
  if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined
  const sha256 = contentDigest(path)
  return sha256 === undefined
    ? undefined
    : { kind: "file", path, size: stats.size, mtime: stats.mtimeMs, ctime: stats.ctimeMs, sha256 }
}

/** Everything in a folder, but for what version control and package managers keep there. `undefined`: too much. */
export const marksBelow = (folder: string): ReadonlyArray<SourceMark> | undefined => {
  const marks: Array<SourceMark> = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const own = markOf(next)
    if (own === undefined || marks.length > MAX_FILES) return undefined
    marks.push(own)
    if (own.kind !== "names") continue
    for (const entry of entriesOf(next)) {
      const path = join(next, entry.name)
      if (entry.isDirectory()) {
        if (entry.name === ".git") marks.push(...GIT_STATE.flatMap((name) => markOf(join(path, name)) ?? []))
        else if (entry.name !== "node_modules") folders.push(path)
      } else if (entry.isFile()) {
        const mark = markOf(path)
        if (mark === undefined) return undefined
        marks.push(mark)
      }
    }
  }
  return marks
}

/** What `git log` and `git status` go by. */
const GIT_STATE = ["HEAD", "index", "packed-refs", "logs/HEAD"]

/** How it differs from its mark, as the end of a sentence; `undefined`: it is the same. */
export const difference = (mark: SourceMark): string | undefined => {
  const stats = statOf(mark.path)
  switch (mark.kind) {
    case "absent":
      return stats === undefined ? undefined : "is there now"
    case "names":
      if (stats?.isDirectory() !== true) return "is gone"
      return namesDigest(mark.path) === mark.sha256 ? undefined : "holds other files"
    case "file":
      if (stats?.isFile() !== true) return "is gone"
      if (stats.size !== mark.size) return "changed"
      return isUntouched(stats, mark) || contentDigest(mark.path) === mark.sha256 ? undefined : "changed"
  }
}

const isUntouched = (stats: Stats, { ctime, mtime }: Extract<SourceMark, { readonly kind: "file" }>): boolean =>
  stats.mtimeMs === mtime && stats.ctimeMs === ctime

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const contentDigest = (path: string): string | undefined => {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex")
  } catch {
    return undefined
  }
}

const namesDigest = (folder: string): string =>
  createHash("sha256")
    .update(
      entriesOf(folder)
        .map((entry) => `${entry.isDirectory() ? "d" : "f"}${entry.name}`)
        .toSorted()
        .join("\0")
    )
    .digest("hex")

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
