/**
 * Puts one path back into a state. Every step happens inside the folder that was opened, never behind a link that stands
 * in its place now; a file is written beside its place and renamed, so that a kill leaves the old or the new one.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { errnoOf } from "../../files/file-error.ts"
import { openDirectory } from "../../files/safe-open.ts"
import { setFileMode } from "../../system/file-mode.ts"
import { type ContentState, hashOf } from "./file-state.ts"

/** Throws `FileError` or the system's error. */
export const writeFileState = (path: string, state: ContentState, content: Uint8Array): void =>
  inFolderOf(path, (target, beside) => {
    if (hashOf(content) !== state.hash) throw new RangeError("the content that was kept is damaged")
    rmSync(beside, { force: true })
    if (state.kind === "link") symlinkSync(Buffer.from(content).toString(), beside)
    else writeNew(beside, content, state.mode)
    try {
      renameSync(beside, target)
    } catch (cause) {
      unlinkSync(beside)
      throw cause
    }
  })

export const removeFile = (path: string): void =>
  inFolderOf(path, (target) => {
    try {
      unlinkSync(target)
    } catch (cause) {
      if (errnoOf(cause) !== "ENOENT") throw cause
    }
  })

/** `false`: something is in it that is not ours to remove. */
export const removeFolder = (path: string): boolean =>
  inFolderOf(path, (target) => {
    try {
      rmdirSync(target)
      return true
    } catch (cause) {
      const code = errnoOf(cause)
      if (code === "ENOTEMPTY" || code === "EEXIST") return false
      if (code === "ENOENT") return true
      throw cause
    }
  })

/** A file or link that stands in its place goes. The exact permissions come last, when nothing is written in it any more. */
export const makeFolder = (path: string): void =>
  inFolderOf(path, (target) => {
    const found = lstatSync(target, { throwIfNoEntry: false })
    if (found !== undefined && !found.isDirectory()) unlinkSync(target)
    if (found?.isDirectory() !== true) mkdirSync(target, { mode: 0o700 })
    else setFileMode(target, (found.mode & 0o7777) | 0o700)
  })

/** Not of links, whose permissions mean nothing, nor of what is no file. */
export const setMode = (path: string, mode: number): void => inFolderOf(path, (target) => setFileMode(target, mode))

const inFolderOf = <A>(path: string, action: (target: string, beside: string) => A): A => {
  const folder = openDirectory(dirname(path), "write")
  try {
    return action(join(folder.base, basename(path)), join(folder.base, besideName(basename(path))))
  } finally {
    closeSync(folder.fd)
  }
}

/** The same for each attempt: what a killed one left behind, the next one takes away. */
const besideName = (name: string): string => `.gemini-undo-${hashOf(Buffer.from(name)).slice(0, 12)}.tmp`

const writeNew = (file: string, content: Uint8Array, mode: number): void => {
  const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    for (let done = 0; done < content.length; ) done += writeSync(fd, content, done)
    fchmodSync(fd, mode)
  } catch (cause) {
    unlinkSync(file)
    throw cause
  } finally {
    closeSync(fd)
  }
}
