/** How model requests are going to be authenticated: decided once at start-up, carried out by the model's layers. */
import { type Redacted, Schema } from "effect"
import { AuthType } from "../protocol/modes.ts"

/** `bearer` sends the key as `Authorization: Bearer` too, for gateways that look there. */
export type KeyMechanism = "x-goog-api-key" | "bearer"

export type AuthPlan =
  | {
      readonly _tag: "ApiKey"
      readonly authType: "gemini-api-key"
      readonly key: Redacted.Redacted
      readonly mechanism: KeyMechanism
      readonly baseUrl: URL | undefined
    }
  | {
      readonly _tag: "Gateway"
      readonly authType: "gateway"
      readonly key: Redacted.Redacted
      readonly mechanism: KeyMechanism
      readonly baseUrl: URL
    }
  | {
      readonly _tag: "VertexExpress"
      readonly authType: "vertex-ai"
      readonly key: Redacted.Redacted
      readonly mechanism: KeyMechanism
      readonly baseUrl: URL | undefined
    }
  | {
      readonly _tag: "Vertex"
      readonly authType: "vertex-ai"
      readonly project: string
      readonly location: string
      readonly baseUrl: URL | undefined
      /** The project that is billed, where it is not the one that owns the credentials. */
      readonly quotaProject: string | undefined
      /** A credentials file that the environment names; without it the usual places are searched. */
      readonly credentialsFile: string | undefined
    }

/** No run without credentials: exit code 41. */
export class AuthError extends Schema.TaggedError<AuthError>()("AuthError", {
  reason: Schema.Literal(
    "none-configured",
    "missing-key",
    "vertex-incomplete",
    "enforced-mismatch",
    "sign-in-unavailable",
    "unknown-type",
    "invalid-base-url",
    "key-store"
  ),
  /** What is wrong, in one line. */
  detail: Schema.String,
  /** What to do about it. */
  hint: Schema.optional(Schema.String),
  authType: Schema.optional(AuthType)
}) {
  override get message() {
    return this.detail
  }
}
