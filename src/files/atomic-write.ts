/**
 * Replaces a file of the workspace so that a kill at any moment leaves the old file or the new one.
 *
 * Permission bits and, where the system lets us, the owner are kept. A hard link cannot survive a rename: the report says
 * that it was broken. A folder is pinned by its open descriptor, so that a link put in its place meanwhile leads nowhere.
 */
import { accessSync, closeSync, constants, lstatSync, mkdirSync, type Stats } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import { replaceFile, syncFolder } from "../system/replace-file.ts"
import { errnoOf, FileError, fromSystem } from "./file-error.ts"
import { openDirectory } from "./safe-open.ts"

export interface WriteReport {
  readonly isNewFile: boolean
  /** Other names of the old file still show the old content. */
  readonly brokeHardLink: boolean
  /** The file now belongs to us: the system did not let us give it back. */
  readonly changedOwner: boolean
  readonly mtimeMs: number
}

export interface WriteOptions {
  /** Permission bits of a new file, before the umask; an existing file keeps its own. */
  readonly mode?: number
  /** Folders that are missing on the way are made. */
  readonly makeParents?: boolean
}

/** `path` is a real path: links in it are refused, not followed. Not interruptible once begun. */
export const writeAtomically = (
  path: string,
  content: Uint8Array,
  options: WriteOptions = {}
): Effect.Effect<WriteReport, FileError> =>
  Effect.try({
    try: () => {
      const folder = openParent(dirname(path), options.makeParents === true)
      try {
        return replaceIn(folder, basename(path), path, content, options.mode ?? 0o666)
      } finally {
        closeSync(folder.fd)
      }
    },
    catch: (cause) => fromSystem("write", path, cause)
  })

interface Folder {
  readonly fd: number
  readonly base: string
}

const replaceIn = (folder: Folder, name: string, path: string, content: Uint8Array, mode: number): WriteReport => {
  const target = join(folder.base, name)
  const old = statOrNull(target)
  if (old !== null) refuseUnwritable(old, target, path)
  const { changedOwner } = replaceFile({ folder: folder.base, target, content, old: old ?? undefined, mode })
  syncFolder(folder.fd)
  return {
    isNewFile: old === null,
    brokeHardLink: old !== null && old.nlink > 1,
    changedOwner,
    mtimeMs: lstatSync(target).mtimeMs
  }
}

/** A rename needs no permission on the file itself, so the bits that protect it are asked here. */
const refuseUnwritable = (old: Stats, target: string, path: string): void => {
  if (old.isFile()) {
    accessSync(target, constants.W_OK)
    return
  }
  const kind = old.isDirectory() ? "is-directory" : old.isSymbolicLink() ? "moved" : "not-regular"
  throw new FileError({ kind, operation: "write", path, code: old.isDirectory() ? "EISDIR" : "" })
}

const statOrNull = (path: string): Stats | null => {
  try {
    return lstatSync(path)
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return null
    throw cause
  }
}

/** Opens the folder, making missing ones from the nearest existing one down, each inside the one just opened. */
const openParent = (path: string, makeParents: boolean): Folder => {
  try {
    return openDirectory(path, "write")
  } catch (cause) {
    if (!makeParents || errnoOf(cause) !== "ENOENT" || dirname(path) === path) throw cause
    const parent = openParent(dirname(path), true)
    try {
      mkdirSync(join(parent.base, basename(path)))
    } catch (made) {
      if (errnoOf(made) !== "EEXIST") throw made
    } finally {
      closeSync(parent.fd)
    }
    return openDirectory(path, "write")
  }
}
