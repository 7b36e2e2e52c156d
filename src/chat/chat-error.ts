/** Why a run ended without doing what was asked, beyond what the model service and the tools report themselves. */
import { Schema } from "effect"
import type { ModelError } from "../retry/model-error.ts"
import type { FatalToolError } from "../tools/tool-scheduler.ts"

/** The model's answers could not be used, after all attempts. */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>()("InvalidAnswer", {
  kind: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** A limit of the run was reached. */
export class LimitReached extends Schema.TaggedError<LimitReached>()("LimitReached", {
  limit: Schema.Literal("turns", "time"),
  /** The limit as the person set it, such as `5` or `90s`. */
  value: Schema.String,
  /** The flag or setting that it came from. */
  source: Schema.String
}) {
  override get message() {
    return this.limit === "turns"
      ? `the limit of ${this.value} turn${this.value === "1" ? "" : "s"} was reached (${this.source})`
      : `the time limit of ${this.value} was reached (${this.source})`
  }
}

export type ChatError = ModelError | InvalidAnswer | LimitReached | FatalToolError
