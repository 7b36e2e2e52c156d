/**
 * What can go wrong with a path or a file. Two errors, because a caller does different things about them: a `PathError`
 * means that the path may not be used at all, a `FileError` that the disk said no.
 */
import { Schema } from "effect"

/** The path is malformed, or lies where this access is not allowed. Raised before anything is opened. */
export class PathError extends Schema.TaggedError<PathError>()("PathError", {
  kind: Schema.Literal("malformed", "outside", "blocked", "loop", "unresolvable"),
  /** As the caller gave it. */
  path: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

export const FileErrorKind = Schema.Literal(
  "not-found",
  "is-directory",
  "not-a-directory",
  "not-regular",
  "permission-denied",
  "no-space",
  "read-only",
  "too-large",
  "moved",
  "loop",
  "io"
)
export type FileErrorKind = typeof FileErrorKind.Type

/** An operation on a file failed. */
export class FileError extends Schema.TaggedError<FileError>()("FileError", {
  kind: FileErrorKind,
  operation: Schema.Literal("read", "write", "list"),
  path: Schema.String,
  /** The code of the system, such as `ENOSPC`; empty when the refusal is ours. */
  code: Schema.String,
  /** Size of the file, for `too-large`. */
  size: Schema.optional(Schema.Number)
}) {
  override get message() {
    const code = this.code === "" ? "" : ` (${this.code})`
    return `Could not ${this.operation} ${this.path}: ${REASONS[this.kind]}${code}.`
  }
}

const REASONS: Record<FileErrorKind, string> = {
  "not-found": "there is no such file or directory",
  "is-directory": "it is a directory",
  "not-a-directory": "a part of the path is not a directory",
  "not-regular": "it is a pipe, socket or device, not a regular file",
  "permission-denied": "permission denied",
  "no-space": "no space is left on the device",
  "read-only": "the file system is read-only",
  "too-large": "it is too large",
  moved: "it was moved or replaced by a link while it was being opened",
  loop: "its symbolic links form a loop",
  io: "the system reported an error"
}

const KIND_OF_CODE: Readonly<Record<string, FileErrorKind>> = {
  ENOENT: "not-found",
  EISDIR: "is-directory",
  ENOTDIR: "not-a-directory",
  EACCES: "permission-denied",
  EPERM: "permission-denied",
  ENOSPC: "no-space",
  EDQUOT: "no-space",
  EROFS: "read-only",
  EFBIG: "too-large",
  ELOOP: "loop",
  ENXIO: "not-regular",
  ENAMETOOLONG: "io"
}

export const errnoOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : "EIO"

/** A `FileError` for what `node:fs` threw. */
export const fromSystem = (operation: FileError["operation"], path: string, cause: unknown): FileError => {
  if (cause instanceof FileError) return cause
  const code = errnoOf(cause)
  return new FileError({ kind: KIND_OF_CODE[code] ?? "io", operation, path, code })
}
