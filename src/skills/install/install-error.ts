/** Why skills were not installed, linked or removed. Nothing has changed then. */
import { Schema } from "effect"

export class SkillInstallError extends Schema.TaggedError<SkillInstallError>()("SkillInstallError", {
  kind: Schema.Literal("source", "unsafe", "missing", "taken", "write"),
  detail: Schema.String,
  /** What to do about it. */
  advice: Schema.optional(Schema.String)
}) {
  override get message() {
    return this.detail
  }
}
