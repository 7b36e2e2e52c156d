/**
 * A model request that failed, classified once, where the status and the body are known.
 * Callers branch on `kind`; nobody looks into the text.
 */
import { Schema } from "effect"

export const ModelErrorKind = Schema.Literal(
  /** The credentials were refused (401, 403). */
  "auth",
  /** 404: no such model, or no access to it. */
  "not-found",
  /** Any other 4xx: sending it again gives the same answer. */
  "bad-request",
  /** A quota that does not come back within a run: daily limits, no capacity left. */
  "quota",
  /** A short-lived limit: worth another attempt after a wait. */
  "rate-limited",
  /** 5xx and 499. */
  "unavailable",
  /** No connection, or it broke off. */
  "network",
  /** A bounded wait ran out; `detail` names it. */
  "timeout",
  /** The server sent something that is not a Gemini answer. */
  "bad-response",
  /** Canned answers do not fit the calls that were made. */
  "replay"
)
export type ModelErrorKind = typeof ModelErrorKind.Type

export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  kind: ModelErrorKind,
  /** One line for people: what the server or the network said. */
  detail: Schema.String,
  model: Schema.optional(Schema.String),
  status: Schema.optional(Schema.Int),
  /** A wait that the server asked for. */
  retryAfter: Schema.optional(Schema.Duration),
  /** When an exhausted quota comes back, as the server put it. */
  resetsAt: Schema.optional(Schema.String),
  /** `open`: no answer had begun, so another attempt is invisible. `body`: parts of the answer were received. */
  phase: Schema.Literal("open", "body"),
  /** Label of statistics and telemetry, such as `QUOTA_EXCEEDED` or `ECONNRESET`. */
  errorType: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message() {
    return this.status === undefined ? this.detail : `${this.detail} (HTTP ${this.status})`
  }

  get isRetryable(): boolean {
    return this.kind === "rate-limited" || this.kind === "unavailable" || this.kind === "network" || this.kind === "timeout"
  }
}
