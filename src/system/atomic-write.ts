/**
 * Replaces one of the program's own files, or one that a person named, so that a crash leaves the old or the new content.
 * A symbolic link stays a link; its target is replaced. A device or a pipe is refused, never replaced by a file. (Files of the workspace, where links are refused, are written by
 * the files room.)
 */
import { closeSync, mkdirSync, openSync, readlinkSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, relative, resolve, sep } from "node:path"
import { Effect, Predicate, Schema } from "effect"
import { lstatOrNone, statOrNone } from "./regular-file.ts"
import { replaceFile, syncFolder } from "./replace-file.ts"

export class AtomicWriteError extends Schema.TaggedError<AtomicWriteError>()("AtomicWriteError", {
  file: Schema.String,
  /** Such as `EACCES`, `EROFS`, `ENOSPC`; in words where the refusal is ours. */
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
  /** The folder of somebody else's files: a link that leads out of it is not followed. */
  readonly border?: string
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
    try: () => writeNow(write),
    catch: (cause) => new AtomicWriteError({ file: write.file, code: codeOf(cause), cause })
  })

const writeNow = ({ border, content, file, mode = 0o644 }: AtomicWrite): WrittenFile => {
  refuseSpecial(file)
  if (border !== undefined && leadsOut(file, border))
    throw Object.assign(new Error(file), { code: `a link leads out of ${border}` })
  const target = realTarget(file)
  const folder = dirname(target)
  // A file for its owner alone stands in a folder for its owner alone.
  mkdirSync(folder, { recursive: true, mode: mode === 0o600 ? 0o700 : 0o777 })
  const old = statOrNone(target)
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  replaceFile({ folder, target, content: bytes, old, mode })
  syncFolderAt(folder)
  return { brokeHardLink: old !== undefined && old.nlink > 1 }
}

/** A rename would put a file in the place of `/dev/null`, for everybody; the target of `/dev/fd/3` may be no path at all. */
const refuseSpecial = (file: string): void => {
  const stat = statOrNone(file)
  const isSpecial = stat !== undefined && !stat.isFile() && !stat.isDirectory()
  if (isSpecial) throw Object.assign(new Error(file), { code: "it is no regular file" })
}

/** Whether a file that is there, or would be, lies outside of a folder, links followed. */
export const leadsOut = (file: string, border: string): boolean => {
  let existing = realTarget(file)
  while (lstatOrNone(existing) === undefined && dirname(existing) !== existing) existing = dirname(existing)
  const way = relative(realTarget(border), realTarget(existing))
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)
}

/** Follows links to the file that holds the content, or that would: the target of a dangling link comes into being. */
const realTarget = (file: string, hops = 0): string => {
  try {
    return realpathSync(file)
  } catch {
    const isLink = lstatOrNone(file)?.isSymbolicLink() === true
    return isLink && hops < MAX_LINKS ? realTarget(resolve(dirname(file), readlinkSync(file)), hops + 1) : file
  }
}

const syncFolderAt = (folder: string): void => {
  try {
    const fd = openSync(folder, "r")
    syncFolder(fd)
    closeSync(fd)
  } catch {
    // Windows does not open folders.
  }
}

/** The system's word for a failure, such as `ENOSPC`. */
export const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") ? String(cause.code) : "unknown"
