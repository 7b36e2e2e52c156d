/**
 * `~/.gemini` holds conversations, logins and rules: it is for its owner alone. Other programs, and earlier versions, left
 * folders and files there that everybody may read; they are closed when a run starts.
 *
 * What stands directly in it is looked at each time, what lies deeper only in folders that were open: a closed folder
 * closes what is inside. Links are never followed, neither by the look nor by the change: where they lead is not ours.
 */
import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readdirSync } from "node:fs"
import { join } from "node:path"

/** Group and others. */
const OPEN_BITS = 0o077
/** Extensions may hold very many files; once their folder is closed, nobody reaches the rest. */
const MAX_LOOKED_AT = 20_000

/** How many others could reach: what stands open in a closed folder is closed too, but there is nothing to tell. */
export const closePrivateFiles = (folder: string, platform: NodeJS.Platform): number => {
  // A platform without such permissions has none that are too wide.
  if (platform === "win32" || !isFolder(folder)) return 0
  const wasReachable = close(folder)
  let closed = 1
  const waiting = childrenOf(folder)
  for (let looked = 0; looked < MAX_LOOKED_AT; looked++) {
    const path = waiting.pop()
    if (path === undefined) break
    if (!close(path)) continue
    closed++
    waiting.push(...childrenOf(path))
  }
  return wasReachable ? closed : 0
}

/** True when it was open to others and is not any more. */
const close = (path: string): boolean => {
  try {
    const seen = lstatSync(path)
    if (!isOpen(seen)) return false
    // The thing itself, whatever stands at its name by now; a pipe in its place would let us wait.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const held = fstatSync(fd)
      if (!isOpen(held)) return false
      fchmodSync(fd, held.mode & 0o7777 & ~OPEN_BITS)
      return true
    } finally {
      closeSync(fd)
    }
  } catch {
    // Gone meanwhile, or on a file system that knows no permissions.
    return false
  }
}

const isOpen = (stat: ReturnType<typeof fstatSync>): boolean =>
  (stat.isFile() || stat.isDirectory()) &&
  (Number(stat.mode) & OPEN_BITS) !== 0 &&
  Number(stat.uid) === process.getuid?.()

/** Nothing for what is no folder, or leads somewhere else. */
const childrenOf = (folder: string): Array<string> => {
  try {
    return isFolder(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  } catch {
    return []
  }
}

/** No link to one. */
const isFolder = (path: string): boolean => {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}
