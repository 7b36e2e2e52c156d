/** What stops a run before the model is asked, beyond what the rooms below report themselves. */
import { Schema } from "effect"

/** A setting forbids what the command line asks for. */
export class ForbiddenMode extends Schema.TaggedError<ForbiddenMode>()("ForbiddenMode", {
  mode: Schema.String,
  setting: Schema.String,
  /** Where the administrator decides, whose setting it is. */
  managedAt: Schema.optional(Schema.String)
}) {
  override get message() {
    return `approval mode ${this.mode} is forbidden by ${this.setting}`
  }
}

/** There is no prompt, or what was given cannot be one. */
export class NoInput extends Schema.TaggedError<NoInput>()("NoInput", {
  detail: Schema.String,
  advice: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** Calls were refused, and the command line asks that this counts as a failure. */
export class CallsDenied extends Schema.TaggedError<CallsDenied>()("CallsDenied", {
  tools: Schema.Array(Schema.String)
}) {
  override get message() {
    return `tool calls were denied: ${this.tools.join(", ")}`
  }
}

/** The run succeeded, but its answer could not be written to the file that was named. */
export class AnswerNotSaved extends Schema.TaggedError<AnswerNotSaved>()("AnswerNotSaved", {
  file: Schema.String,
  /** Such as `EACCES`, `ENOSPC`. */
  code: Schema.String
}) {
  override get message() {
    return `--last-message-file: ${this.file} cannot be written (${this.code})`
  }
}
