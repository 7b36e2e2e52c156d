/** The user's own system prompt cannot be used: the run does not go on with another one. */
import { Schema } from "effect"

export class PromptError extends Schema.TaggedError<PromptError>()("PromptError", {
  kind: Schema.Literal("missing", "unreadable", "unwritable"),
  file: Schema.String,
  /** The variable that names the file. */
  variable: Schema.Literal("GEMINI_SYSTEM_MD", "GEMINI_WRITE_SYSTEM_MD"),
  /** Why, for a file that is there; completes "the file ...". */
  reason: Schema.optional(Schema.String)
}) {
  override get message() {
    if (this.kind === "missing") return `missing system prompt file '${this.file}' (${this.variable})`
    return `the system prompt file '${this.file}' ${this.reason ?? "cannot be used"} (${this.variable})`
  }
}
