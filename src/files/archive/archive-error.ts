/** Why an archive was not unpacked. Nothing of it is left behind. */
import { Schema } from "effect"

export class ArchiveError extends Schema.TaggedError<ArchiveError>()("ArchiveError", {
  /** `unsafe`: it would write outside its folder, or bring links or devices. `too-large`: it goes beyond a limit. */
  kind: Schema.Literal("unreadable", "unsafe", "too-large", "not-written"),
  file: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `${this.file} was not unpacked: ${this.detail}`
  }
}
