/**
 * The entries of one folder. The folder is opened and checked first, so that a link swapped in meanwhile is not listed.
 * Names that are not valid UTF-8 are shown with replacement characters; sizes are asked only for what will be shown.
 */
import { closeSync, type Dirent, readdirSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type FileError, fromSystem } from "./file-error.ts"
import { firstSorted } from "./first-sorted.ts"
import { openDirectory } from "./safe-open.ts"

export interface FolderEntry {
  readonly name: string
  readonly isDirectory: boolean
  /** In bytes; of the target for a link, 0 for a folder. */
  readonly size: number
}

export interface FolderListing {
  /** Folders first, each kind by name. */
  readonly entries: ReadonlyArray<FolderEntry>
  readonly total: number
  readonly left: number
  readonly hidden: number
}

export interface FolderOptions {
  readonly isHidden: (name: string, isDirectory: boolean) => boolean
  readonly maxEntries: number
}

/** `realPath`: links in it are refused. */
export const listFolder = (realPath: string, options: FolderOptions): Effect.Effect<FolderListing, FileError> =>
  Effect.try({
    try: () => {
      const folder = openDirectory(realPath, "list")
      try {
        return listing(folder.base, options)
      } finally {
        closeSync(folder.fd)
      }
    },
    catch: (cause) => fromSystem("list", realPath, cause)
  })

const listing = (base: string, { isHidden, maxEntries }: FolderOptions): FolderListing => {
  const all = readdirSync(base, { withFileTypes: true }).map((entry) => ({
    name: entry.name,
    isDirectory: isFolder(base, entry)
  }))
  const visible = all.filter((entry) => !isHidden(entry.name, entry.isDirectory))
  const collator = new Intl.Collator()
  const shown = firstSorted(visible, maxEntries, (a, b) =>
    a.isDirectory === b.isDirectory ? collator.compare(a.name, b.name) : a.isDirectory ? -1 : 1
  )
  const entries = shown.flatMap((entry) => {
    const size = entry.isDirectory ? 0 : sizeOf(base, entry.name)
    return size === null ? [] : [{ ...entry, size }]
  })
  return {
    entries,
    total: visible.length,
    left: visible.length - shown.length,
    hidden: all.length - visible.length
  }
}

const isFolder = (base: string, entry: Dirent): boolean =>
  entry.isSymbolicLink() ? statOrNull(join(base, entry.name))?.isDirectory() === true : entry.isDirectory()

/** `null` for an entry that vanished, or a link that leads nowhere. */
const sizeOf = (base: string, name: string): number | null =>
  statOrNull(name.includes("\ufffd") ? rawPath(base, name) : join(base, name))?.size ?? null

const statOrNull = (path: string | Buffer): Stats | null => {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

/** The bytes of a name that could not be decoded. */
const rawPath = (base: string, name: string): Buffer => {
  const raw = readdirSync(base, { encoding: "buffer" }).find((candidate) => candidate.toString("utf8") === name)
  return Buffer.concat([Buffer.from(`${base}/`), raw ?? Buffer.from(name)])
}
