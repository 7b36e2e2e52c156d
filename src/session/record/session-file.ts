/**
 * The file of one session, open for appending. Whole lines in one write, so that a crash leaves at most one line cut
 * short, and only the last one. Where the last writer was cut off, a line break is put in front of the next record.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"
import { Effect, Predicate, Schema } from "effect"

export class RecordingError extends Schema.TaggedError<RecordingError>()("RecordingError", {
  file: Schema.String,
  /** Such as `ENOSPC`. */
  code: Schema.String
}) {
  override get message() {
    return this.code === "ENOSPC" || this.code === "EDQUOT"
      ? `there is no space left for ${this.file}`
      : `${this.file} cannot be written (${this.code})`
  }
}

export interface SessionFile {
  readonly path: string
  readonly fd: number
}

const LINE_END = 0x0a

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDWR } = constants

/** `create`: the file must not exist yet. Fails with `EEXIST` where it does. */
export const openSessionFile = (
  path: string,
  { create }: { readonly create: boolean }
): Effect.Effect<SessionFile, RecordingError> =>
  attempt(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const fd = openSync(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CREAT | (create ? O_EXCL : 0), 0o600)
    return { path, fd }
  })

export const appendLines = (
  { fd, path }: SessionFile,
  lines: ReadonlyArray<string>
): Effect.Effect<void, RecordingError> =>
  attempt(path, () => {
    const bytes = bytesOf(endsInLine(fd) ? lines : ["", ...lines])
    let offset = 0
    while (offset < bytes.length) offset += writeSync(fd, bytes, offset, bytes.length - offset)
  })

/** A line can be as long as an answer: it is copied once. */
const bytesOf = (lines: ReadonlyArray<string>): Uint8Array => {
  const bytes = Buffer.allocUnsafe(lines.reduce((total, line) => total + Buffer.byteLength(line) + 1, 0))
  let end = 0
  for (const line of lines) {
    end += bytes.write(line, end)
    end = bytes.writeUInt8(LINE_END, end)
  }
  return bytes
}

/** On disk, not only in the hands of the system. */
export const syncFile = ({ fd, path }: SessionFile): Effect.Effect<void, RecordingError> =>
  Effect.async((resume) =>
    fsync(fd, (error) =>
      resume(error === null ? Effect.void : Effect.fail(new RecordingError({ file: path, code: codeOf(error) })))
    )
  )

/** The name of a new file is kept by its folder, which has to be synced too, where that is possible. */
export const syncFolder = ({ path }: SessionFile): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.try(() => openSync(dirname(path), constants.O_RDONLY)),
    (fd) => syncFile({ path, fd }),
    (fd) => Effect.sync(() => closeSync(fd))
  ).pipe(Effect.ignore)

/** How the file was left after the last write of ours. */
export interface FileMark {
  readonly size: number
  readonly mtimeNs: bigint
  /** Some bytes of its beginning, and of its end. */
  readonly head: Buffer
  readonly tail: Buffer
}

const MARK_BYTES = 512

export const markOf = ({ fd }: SessionFile): FileMark => {
  const { mtimeNs, size } = fstatSync(fd, { bigint: true })
  const bytes = Number(size)
  return { size: bytes, mtimeNs, head: bytesAt(fd, 0, MARK_BYTES), tail: bytesAt(fd, bytes - MARK_BYTES, MARK_BYTES) }
}

/**
 * The name still leads to what we write, and what we wrote is still there. Somebody may have written more behind it: that
 * loses nothing. Looks into the file only where it was touched.
 */
export const isIntact = ({ fd, path }: SessionFile, mark: FileMark): boolean => {
  const now = fstatSync(fd, { bigint: true })
  const named = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (named === undefined || named.ino !== now.ino || named.dev !== now.dev) return false
  const size = Number(now.size)
  if (size === mark.size && now.mtimeNs === mark.mtimeNs) return true
  return (
    size >= mark.size &&
    bytesAt(fd, 0, mark.head.length).equals(mark.head) &&
    bytesAt(fd, mark.size - mark.tail.length, mark.tail.length).equals(mark.tail)
  )
}

const bytesAt = (fd: number, from: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  const start = Math.max(0, from)
  return bytes.subarray(0, readSync(fd, bytes, 0, Math.max(0, Math.min(length, from + length)), start))
}

export const isEmpty = ({ fd }: SessionFile): boolean => fstatSync(fd).size === 0

/** Takes what stands under this name out of the way, and keeps it. Its new name is no session's; `undefined`: nothing stood there. */
export const moveAside = (path: string, at: number): string | undefined => {
  const aside = `${path}.changed-${at}`
  try {
    renameSync(path, aside)
    return aside
  } catch {
    return undefined
  }
}

export const closeSessionFile = ({ fd }: SessionFile): Effect.Effect<void> => Effect.sync(() => closeSync(fd))

const endsInLine = (fd: number): boolean => {
  const { size } = fstatSync(fd)
  if (size === 0) return true
  const last = Buffer.alloc(1)
  readSync(fd, last, 0, 1, size - 1)
  return last[0] === LINE_END
}

const attempt = <A>(file: string, work: () => A): Effect.Effect<A, RecordingError> =>
  Effect.try({ try: work, catch: (cause) => new RecordingError({ file, code: codeOf(cause) }) })

const codeOf = (cause: unknown): string => (Predicate.hasProperty(cause, "code") ? String(cause.code) : String(cause))
