/**
 * A model request that failed, classified once, where the status and the body are known.
 * Callers branch on `kind`; nobody looks into the text.
 */
import { Schema } from "effect"
import { AuthType } from "../protocol/modes.ts"

export const ModelErrorKind = Schema.Literal(
  /** The credentials were refused (401, 403, or a key that the API calls invalid). */
  "auth",
  /** 404: no such model, or no access to it. */
  "not-found",
  /** Any other 4xx: sending it again gives the same answer. */
  "bad-request",
  /** A quota that does not come back within a run: daily limits, long waits, no credits. */
  "quota",
  /** The service has no free capacity for this model at the moment; another model may have. */
  "capacity",
  /** A short-lived limit: worth another attempt after a wait. */
  "rate-limited",
  /** 5xx and 499. */
  "unavailable",
  /** No connection, or it broke off. */
  "network",
  /** The way to the server is barred: an untrusted certificate, a proxy that refuses. Trying again changes nothing. */
  "unreachable",
  /** A bounded wait of one attempt ran out; `detail` names it. */
  "timeout",
  /** Nothing was heard for as long as a run waits, over all attempts. */
  "silent",
  /** The server sent something that is not a Gemini answer. */
  "bad-response",
  /** It was not sent: the budget that it shares with other processes has no room for it. */
  "budget",
  /** Canned answers do not fit the calls that were made. */
  "replay",
  /** A cassette does not hold the request, and nobody else may be asked. */
  "miss"
)
export type ModelErrorKind = typeof ModelErrorKind.Type

const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  "rate-limited",
  "capacity",
  "unavailable",
  "network",
  "timeout"
])

export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  kind: ModelErrorKind,
  /** One line for people: what the server or the network said. */
  detail: Schema.String,
  model: Schema.optional(Schema.String),
  status: Schema.optional(Schema.Int),
  /** The API's name of the status: `RESOURCE_EXHAUSTED`. */
  statusName: Schema.optional(Schema.String),
  /** A wait that the server asked for. */
  retryAfter: Schema.optional(Schema.Duration),
  /** When an exhausted quota comes back: ISO 8601, UTC. */
  resetsAt: Schema.optional(Schema.String),
  /**
   * `open`: the server refused, or was not reached: another attempt is invisible. `body`: it had accepted the request
   * and begun to answer; whether parts of the answer were shown already, the reader of the stream knows.
   */
  phase: Schema.Literal("open", "body"),
  /** The conversation has more tokens than the model takes: a shorter one may do. */
  isTooLong: Schema.optional(Schema.Boolean),
  /** Label of statistics and telemetry, such as `QUOTA_EXCEEDED` or `ECONNRESET`. */
  errorType: Schema.String,
  /** The service's own word for the reason: `API_KEY_INVALID`, `TOS_VIOLATION`, `VALIDATION_REQUIRED`. */
  reason: Schema.optional(Schema.String),
  /** Where the service sends the user: to verify, to appeal, to read more. */
  link: Schema.optional(Schema.String),
  /** How the request was authenticated: decides what can be done about it. */
  authType: Schema.optional(AuthType),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message() {
    return this.status === undefined ? this.detail : `${this.detail} (HTTP ${this.status})`
  }

  get isRetryable(): boolean {
    return RETRYABLE.has(this.kind)
  }
}
