/** Something under `~/.gemini` had to be read or written, and could not be. */
import { Schema } from "effect"

export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  path: Schema.String,
  kind: Schema.Literal("no-home", "read", "write", "locked"),
  /** The system's word for it, such as `EROFS`. */
  detail: Schema.String
}) {
  override get message() {
    if (this.kind === "no-home") {
      return "There is no home folder to keep data in: set HOME, or GEMINI_CLI_HOME to a folder that can be written."
    }
    if (this.kind === "read") return `${this.path} cannot be read (${this.detail}): correct it, or move it away.`
    return this.kind === "locked"
      ? `${this.path} is held by another process (${this.detail}); remove it if no other gemini is running.`
      : `${this.path} cannot be written (${this.detail}): ${remedyFor(this.detail)}, or set GEMINI_CLI_HOME to another folder.`
  }
}

const remedyFor = (detail: string): string => {
  if (/ENOSPC|EDQUOT/.test(detail)) return "the disk is full, make room on it"
  return /EROFS/.test(detail) ? "it is on a disk that is read only" : "check its permissions"
}
