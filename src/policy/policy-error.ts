/** A rule file that must not be ignored cannot be used. The run does not start (exit code 52). */
import { Schema } from "effect"

export class PolicyError extends Schema.TaggedError<PolicyError>()("PolicyError", {
  file: Schema.String,
  /** Not `line`: an error has one of its own, the line of our source that made it. */
  atLine: Schema.optional(Schema.Int),
  detail: Schema.String
}) {
  override get message() {
    const place = this.atLine === undefined ? this.file : `${this.file}:${this.atLine}`
    return `A policy file cannot be used, so nothing may run: ${place}: ${this.detail}`
  }
}
