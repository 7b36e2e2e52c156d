/** A skill that cannot be used: in which file, on which line, and why. */
import { Schema } from "effect"

export class SkillError extends Schema.TaggedError<SkillError>()("SkillError", {
  file: Schema.String,
  atLine: Schema.Number,
  detail: Schema.String
}) {
  override get message() {
    return `skill ${this.file}:${this.atLine}: ${this.detail}`
  }
}
