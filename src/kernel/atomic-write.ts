/**
 * Replacing a file so that a crash at any moment leaves the old or the new content, never a part: a temporary file
 * beside it, synced to disk, renamed over it. Permissions of the old file are kept. A symbolic link stays a link; its
 * target is replaced.
 */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { Effect, Predicate, Schema } from "effect"

export class AtomicWriteError extends Schema.TaggedError<AtomicWriteError>()("AtomicWriteError", {
  file: Schema.String,
  /** Such as `EACCES`, `EROFS`, `ENOSPC`. */
  code: Schema.String,
  cause: Schema.Defect
}) {
  override get message() {
    return `${this.file} cannot be written (${this.code})`
  }
}

export interface AtomicWrite {
  readonly file: string
  readonly content: string | Uint8Array
  /** For a file that does not exist yet; 0o644 when absent. */
  readonly mode?: number
}

export interface WrittenFile {
  /** The file had other names; they still hold the old content. */
  readonly brokeHardLink: boolean
}

/** As many as Linux follows. */
const MAX_LINKS = 40

/** Missing folders are made. Not interruptible half way: the steps are synchronous. */
export const writeFileAtomic = (write: AtomicWrite): Effect.Effect<WrittenFile, AtomicWriteError> =>
  Effect.try({
    try: () => replaceFile(write),
    catch: (cause) => new AtomicWriteError({ file: write.file, code: codeOf(cause), cause })
  })

const replaceFile = ({ file, content, mode = 0o644 }: AtomicWrite): WrittenFile => {
  const target = realTarget(file)
  const folder = dirname(target)
  mkdirSync(folder, { recursive: true })
  const old = statOf(target)
  const temporary = join(folder, `${basename(target).slice(0, 60)}.${crypto.randomUUID()}.tmp`)
  const descriptor = openSync(temporary, "wx", old === undefined ? mode : old.mode & 0o7777)
  try {
    try {
      if (old !== undefined) keepOwnership(descriptor, old)
      writeAll(descriptor, typeof content === "string" ? Buffer.from(content) : content)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, target)
  } catch (error) {
    removeQuietly(temporary)
    throw error
  }
  syncFolder(folder)
  return { brokeHardLink: old !== undefined && old.nlink > 1 }
}

/** Follows links to the file that holds the content, or that would: the target of a dangling link comes into being. */
const realTarget = (file: string, hops = 0): string => {
  try {
    return realpathSync(file)
  } catch {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    return isLink && hops < MAX_LINKS ? realTarget(resolve(dirname(file), readlinkSync(file)), hops + 1) : file
  }
}

const statOf = (file: string): Stats | undefined => statSync(file, { throwIfNoEntry: false })

/** The mode exactly, past the umask; the owner only where the system lets us. */
const keepOwnership = (descriptor: number, old: Stats): void => {
  fchmodSync(descriptor, old.mode & 0o7777)
  try {
    fchownSync(descriptor, old.uid, old.gid)
    fchmodSync(descriptor, old.mode & 0o7777)
  } catch {
    // Only root may give files away.
  }
}

const writeAll = (descriptor: number, bytes: Uint8Array): void => {
  let offset = 0
  while (offset < bytes.length) offset += writeSync(descriptor, bytes, offset, bytes.length - offset)
}

/** Makes the rename itself durable, where folders can be synced. */
const syncFolder = (folder: string): void => {
  try {
    const descriptor = openSync(folder, "r")
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Windows and some network file systems refuse; the content is safe all the same.
  }
}

const removeQuietly = (file: string): void => {
  try {
    unlinkSync(file)
  } catch {
    // Nothing was made, or it is gone already.
  }
}

/** The system's word for a failure, such as `ENOSPC`. */
export const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") ? String(cause.code) : "unknown"
