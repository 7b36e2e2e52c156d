/**
 * The entries of one folder, unless there are so many that listing them would be felt at start-up. The runtime reads a
 * folder only as a whole, so the size that the file system gives for the folder itself decides before anything is read:
 * about 20 to 40 bytes for each entry on the usual ones.
 */
import { readdirSync, statSync } from "node:fs"
import { Predicate } from "effect"

export interface PeekEntry {
  readonly name: string
  /** Links count as files: they are not followed. */
  readonly isFolder: boolean
}

export type FolderPeek =
  | { readonly kind: "entries"; readonly entries: ReadonlyArray<PeekEntry> }
  | { readonly kind: "too-large" }
  | { readonly kind: "unreadable"; readonly code: string }

const MAX_FOLDER_BYTES = 256 * 1024

/** Entries in the order of their names, without regard to case. */
export const peekFolder = (path: string, maxFolderBytes = MAX_FOLDER_BYTES): FolderPeek => {
  try {
    if (statSync(path).size > maxFolderBytes) return { kind: "too-large" }
    const entries = readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
      order: entry.name.toLowerCase()
    }))
    return { kind: "entries", entries: entries.sort((a, b) => compare(a.order, b.order) || compare(a.name, b.name)) }
  } catch (error) {
    return { kind: "unreadable", code: Predicate.hasProperty(error, "code") ? String(error.code) : "unknown error" }
  }
}

// By code points: the order of a locale needs tables whose loading costs more than the whole listing.
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
