/** A sandbox was asked for and cannot be had: nothing runs without it (exit 44). */
import { Schema } from "effect"

export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>()("SandboxUnavailable", {
  /** The flag, the variable or the setting. */
  requestedBy: Schema.String,
  /** What stood in the way of each candidate. */
  reasons: Schema.Array(Schema.String),
  /** What to install or to change. */
  advice: Schema.String
}) {
  override get message() {
    return `a sandbox was asked for by ${this.requestedBy}, but ${this.reasons.join("; ")}`
  }
}
