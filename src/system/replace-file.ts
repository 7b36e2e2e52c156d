/**
 * The core of every atomic write: the new content goes to a temporary file beside the target, is synced to disk, and
 * renamed over it. A crash at any moment leaves the old content or the new one, never a part. Synchronous, so that nothing
 * interrupts it half way. What a link means, and how a folder is held, is the caller's affair.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync
} from "node:fs"
import { join } from "node:path"

export interface Replacement {
  /** Where the temporary file is made: the folder of the target. */
  readonly folder: string
  readonly target: string
  readonly content: Uint8Array
  /** The file that is replaced, whose permission bits and owner are kept. */
  readonly old: Stats | undefined
  /** Permission bits of a new file, before the umask. */
  readonly mode: number
}

/** `changedOwner`: the file now belongs to us, because the system did not let us give it back. */
export const replaceFile = ({
  content,
  folder,
  mode,
  old,
  target
}: Replacement): { readonly changedOwner: boolean } => {
  const temporary = join(folder, `.gemini-${crypto.randomUUID()}.tmp`)
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, firstMode(old, mode))
  try {
    let changedOwner: boolean
    try {
      changedOwner = old !== undefined && !keepIdentity(fd, old)
      writeFully(fd, content)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, target)
    return { changedOwner }
  } catch (cause) {
    attempt(() => unlinkSync(temporary))
    throw cause
  }
}

/** Makes a rename durable. Some file systems cannot sync a folder; the content is safe all the same. */
export const syncFolder = (fd: number): void => void attempt(() => fsyncSync(fd))

/** Nobody may read it before it has the bits of the old file. */
const firstMode = (old: Stats | undefined, mode: number): number => (old === undefined ? mode : old.mode & 0o700)

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

const attempt = (action: () => void): boolean => {
  try {
    action()
    return true
  } catch {
    return false
  }
}
