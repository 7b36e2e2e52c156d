/** A rule file that must not be ignored cannot be used. The run does not start (exit code 52). */
import { Schema } from "effect"

export class PolicyError extends Schema.TaggedError<PolicyError>()("PolicyError", {
  file: Schema.String,
  line: Schema.optional(Schema.Int),
  detail: Schema.String
}) {
  override get message() {
    const place = this.line === undefined ? this.file : `${this.file}:${this.line}`
    return `A policy file cannot be used, so nothing may run: ${place}: ${this.detail}`
  }
}
