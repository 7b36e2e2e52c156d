/**
 * The file of one session, open for appending. Whole lines in one write, so that a crash leaves at most one line cut
 * short, and only the last one. Where the last writer was cut off, a line break is put in front of the next record.
 */
import { closeSync, constants, fstatSync, fsync, mkdirSync, openSync, readSync, writeSync } from "node:fs"
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

/** Somebody removed the file: what is written from now on would be lost. */
export const isRemoved = ({ fd }: SessionFile): boolean => fstatSync(fd).nlink === 0

export const isEmpty = ({ fd }: SessionFile): boolean => fstatSync(fd).size === 0

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
