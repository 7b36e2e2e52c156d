/** How model requests are going to be authenticated: decided once at start-up, carried out by the model's layers. */
import { type Redacted, Schema } from "effect"
import type { FailureCode } from "../protocol/failure-help.ts"
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
  | CodeAssistPlan

/** A Google account, or the machine, with the Code Assist server. */
export interface CodeAssistPlan {
  readonly _tag: "CodeAssist"
  readonly authType: "oauth-personal" | "compute-default-credentials"
  /** With its version and without a slash at the end: methods follow after a colon. */
  readonly server: string
  readonly oauth: OAuthClient
  /** `GOOGLE_CLOUD_ACCESS_TOKEN`, which goes before everything that is stored. */
  readonly accessToken: Redacted.Redacted | undefined
  readonly credentialsFile: string | undefined
  /** Host, with a port where it has one. */
  readonly metadataHost: string
  readonly project: string | undefined
}

/** The application that people sign in with, and where. None is built in. */
export interface OAuthClient {
  readonly id: string | undefined
  readonly secret: Redacted.Redacted | undefined
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly userInfoUrl: string
}

/** No run without credentials: exit code 41. */
export class AuthError extends Schema.TaggedError<AuthError>()("AuthError", {
  reason: Schema.Literal(
    "none-configured",
    "missing-key",
    "vertex-incomplete",
    "enforced-mismatch",
    /** Nobody is signed in, and somebody could be. */
    "sign-in-needed",
    "no-oauth-client",
    /** The sign-in was made, and does not hold any more. */
    "sign-in-refused",
    /** A server of Google was not reached, or could not answer. */
    "google-unavailable",
    "invalid-endpoint",
    /** The account cannot be used as it is; `link` says where that can be changed. */
    "account",
    "validation-required",
    "project",
    "unknown-type",
    "invalid-base-url",
    "key-store"
  ),
  /** What is wrong, in one line. */
  detail: Schema.String,
  /** What to do about it. */
  hint: Schema.optional(Schema.String),
  /** Where the person has to go. */
  link: Schema.optional(Schema.String),
  authType: Schema.optional(AuthType)
}) {
  override get message() {
    return this.detail
  }

  get help(): FailureCode {
    return HELP[this.reason]
  }
}

const HELP: Readonly<Record<AuthError["reason"], FailureCode>> = {
  "none-configured": "no-auth",
  "missing-key": "no-auth",
  "vertex-incomplete": "no-auth",
  "unknown-type": "no-auth",
  "enforced-mismatch": "auth-enforced",
  "sign-in-needed": "sign-in",
  "no-oauth-client": "sign-in",
  "sign-in-refused": "sign-in",
  "google-unavailable": "network",
  "invalid-endpoint": "bad-endpoint",
  "invalid-base-url": "bad-endpoint",
  account: "account",
  "validation-required": "account",
  project: "account",
  "key-store": "key-store"
}
