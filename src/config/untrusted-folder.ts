/** Something was asked for that only a trusted folder may give. */
import { Schema } from "effect"

/** The folder is not trusted, and something was asked for that needs trust. */
export class UntrustedFolder extends Schema.TaggedError<UntrustedFolder>()("UntrustedFolder", {
  folder: Schema.String,
  /** What cannot be honoured: a flag, or the rule that forbids the folder. */
  because: Schema.String
}) {
  override get message() {
    return `${this.folder} is not a trusted folder: ${this.because}`
  }
}
