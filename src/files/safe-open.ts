/**
 * Opening files without being led astray between the check and the use.
 *
 * A path that was checked may be a link, a pipe or gone a moment later. So: open without following a last link and
 * without waiting (a pipe with no writer would block for ever), then look at what was opened. On Linux the kernel tells
 * the real path of the open file; elsewhere device and inode are compared with a fresh look at the path.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync
} from "node:fs"
import { FileError } from "./file-error.ts"

const { O_DIRECTORY = 0, O_NOCTTY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants

export interface OpenedFile {
  readonly fd: number
  readonly stat: BigIntStats
}

/** Opens a regular file at its real path for reading. The caller closes `fd`. Throws `FileError` or the system's error. */
export const openRegular = (realPath: string): OpenedFile => {
  refuseSpecial(lstatSync(realPath), realPath)
  return opened(openSync(realPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), (fd) => {
    const stat = fstatSync(fd, { bigint: true })
    refuseSpecial(stat, realPath)
    refuseMoved(fd, stat, realPath, "read")
    return { fd, stat }
  })
}

/**
 * Opens a folder at its real path. `base` names the open folder itself, not its path: a file `${base}/name` lies in it
 * even if the path leads elsewhere by now (Linux; elsewhere `base` is the path).
 */
export const openDirectory = (realPath: string, operation: FileError["operation"]) =>
  opened(openSync(realPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK), (fd) => {
    refuseMoved(fd, fstatSync(fd, { bigint: true }), realPath, operation)
    return { fd, base: fdPath(fd) === null ? realPath : `/proc/self/fd/${fd}` }
  })

const opened = <A>(fd: number, check: (fd: number) => A): A => {
  try {
    return check(fd)
  } catch (cause) {
    closeSync(fd)
    throw cause
  }
}

interface Kinds {
  isFile: () => boolean
  isDirectory: () => boolean
  isSymbolicLink: () => boolean
}

/** Pipes, sockets and devices are never opened: reading one may block, or have effects. */
const refuseSpecial = (stat: Kinds, path: string): void => {
  if (stat.isFile()) return
  const kind = stat.isDirectory() ? "is-directory" : stat.isSymbolicLink() ? "moved" : "not-regular"
  throw new FileError({ kind, operation: "read", path, code: "" })
}

const refuseMoved = (fd: number, stat: BigIntStats, path: string, operation: FileError["operation"]): void => {
  const actual = fdPath(fd)
  const isSame = actual === null ? isSameFile(stat, path) : actual === path || actual === `${path} (deleted)`
  if (!isSame) throw new FileError({ kind: "moved", operation, path, code: "" })
}

/** `null` where the system does not tell. */
const fdPath = (fd: number): string | null => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return null
  }
}

const isSameFile = (stat: BigIntStats, path: string): boolean => {
  const now = lstatSync(path, { bigint: true })
  return now.dev === stat.dev && now.ino === stat.ino && realpathSync(path) === path
}
