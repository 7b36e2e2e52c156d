/**
 * Replaces a file's content so that a kill at any moment leaves the old file or the new one.
 *
 * The new content goes to a temporary file in the same folder, is synced, and renamed over the old one; then the folder
 * is synced. Permission bits and, where the system lets us, the owner are kept. A hard link cannot survive a rename: the
 * report says that it was broken. A folder is pinned by its open descriptor, so that a link put in its place meanwhile
 * leads nowhere.
 */
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
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
  const temporary = join(folder.base, `.gemini-${crypto.randomUUID()}.tmp`)
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
  try {
    let changedOwner: boolean
    try {
      changedOwner = old !== null && !keepIdentity(fd, old)
      writeFully(fd, content)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, target)
    syncFolder(folder.fd)
    return {
      isNewFile: old === null,
      brokeHardLink: old !== null && old.nlink > 1,
      changedOwner,
      mtimeMs: lstatSync(target).mtimeMs
    }
  } catch (cause) {
    removeQuietly(temporary)
    throw cause
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

/** `false` when the owner could not be kept. The owner goes first: changing it clears the set-id bits. */
const keepIdentity = (fd: number, old: Stats): boolean => {
  const isKept = attempt(() => fchownSync(fd, old.uid, old.gid))
  if (!isKept) attempt(() => fchownSync(fd, -1, old.gid))
  fchmodSync(fd, old.mode & (isKept ? 0o7777 : 0o777))
  return isKept
}

const writeFully = (fd: number, content: Uint8Array): void => {
  for (let offset = 0; offset < content.length; ) offset += writeSync(fd, content, offset)
}

/** Some file systems cannot sync a folder; the content is safe all the same. */
const syncFolder = (fd: number): void => void attempt(() => fsyncSync(fd))

const attempt = (action: () => void): boolean => {
  try {
    action()
    return true
  } catch {
    return false
  }
}

const removeQuietly = (path: string): void => void attempt(() => unlinkSync(path))

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
