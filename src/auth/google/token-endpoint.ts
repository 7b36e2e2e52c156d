/**
 * Google's token endpoint: a code or a refresh token goes in, an access token comes out. Written by hand because it is
 * one form and one answer, and a run whose token ran out should not load a library for it.
 */
import { Clock, Duration, Effect, Option, Redacted, Schedule, Schema } from "effect"
import { shortLine } from "../../kernel/readable-text.ts"
import { redactSecrets, type Secret, secretForms } from "../../kernel/redact-secrets.ts"
import { ask } from "../../system/http/ask.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { AuthError, type OAuthClient } from "../auth-plan.ts"
import type { GoogleCredentials } from "./stored-credentials.ts"

const BOUNDS = { within: Duration.seconds(30), maxBytes: 1024 * 1024, maxRedirects: 0 }

/** A server that cannot answer, or is not reached, is asked three times. */
export const askAgain = Schedule.intersect(Schedule.exponential("200 millis"), Schedule.recurs(2))

const TokenAnswer = Schema.parseJson(
  Schema.Struct({
    access_token: Schema.NonEmptyString,
    refresh_token: Schema.optional(Schema.String),
    expires_in: Schema.optional(Schema.Number),
    scope: Schema.optional(Schema.String),
    token_type: Schema.optional(Schema.String),
    id_token: Schema.optional(Schema.String)
  })
)
const Refusal = Schema.parseJson(
  Schema.Struct({ error: Schema.String, error_description: Schema.optional(Schema.String) })
)

/** What is asked for, beside who asks. */
export type Grant =
  | { readonly grant_type: "refresh_token"; readonly refresh_token: string }
  | {
      readonly grant_type: "authorization_code"
      readonly code: string
      readonly redirect_uri: string
      readonly code_verifier: string
    }

export const requestToken = Effect.fn("Auth.requestToken")(function* (
  http: HttpClient,
  client: OAuthClient,
  grant: Grant
): Effect.fn.Return<GoogleCredentials & { readonly access_token: string }, AuthError> {
  if (client.id === undefined) return yield* noClient
  const secret = client.secret === undefined ? {} : { client_secret: Redacted.value(client.secret) }
  const body = new URLSearchParams({ ...grant, client_id: client.id, ...secret }).toString()
  const url = new URL(client.tokenUrl)
  const answer = yield* ask(http, { url, method: "POST", headers: FORM, body }, BOUNDS).pipe(
    Effect.mapError((error) => unavailable(url, error.detail)),
    Effect.filterOrFail(
      ({ status }) => status < 500 && status !== 429,
      ({ status }) => unavailable(url, `it answered with HTTP ${status}`)
    ),
    // A code can be redeemed once: whether the first request did so is not known.
    grant.grant_type === "refresh_token" ? Effect.retry(askAgain) : (once) => once
  )
  const token = Schema.decodeUnknownOption(TokenAnswer)(answer.text)
  if (answer.status !== 200 || Option.isNone(token)) {
    // A server may say again what it was told.
    const told = redactSecrets(answer.text, secretsIn(grant, client))
    return yield* refused(grant, answer.status, Schema.decodeUnknownOption(Refusal)(told))
  }
  const { expires_in, ...fields } = token.value
  const now = yield* Clock.currentTimeMillis
  return {
    token_type: "Bearer",
    ...fields,
    ...(expires_in === undefined ? {} : { expiry_date: now + expires_in * 1000 })
  }
})

const secretsIn = (grant: Grant, { secret }: OAuthClient): ReadonlyArray<Secret> => {
  const { grant_type: _, ...said } = grant
  const values = [...Object.values(said), ...(secret === undefined ? [] : [Redacted.value(secret)])]
  return secretForms(values.map((value) => ({ name: "CREDENTIAL", value })))
}

const FORM = { "content-type": "application/x-www-form-urlencoded" }

/** Follows a word that begins the sentence. */
export const WITHOUT_CLIENT =
  "no such client is needed with GEMINI_API_KEY, Vertex AI (GOOGLE_GENAI_USE_VERTEXAI=true), GOOGLE_APPLICATION_CREDENTIALS, " +
  "GOOGLE_CLOUD_ACCESS_TOKEN or the credentials of a machine (GEMINI_CLI_USE_COMPUTE_ADC=true)."

export const noClient = new AuthError({
  reason: "no-oauth-client",
  detail: "no OAuth client is configured, and signing in with Google needs one: GEMINI_OAUTH_CLIENT_ID is not set",
  hint: `Set GEMINI_OAUTH_CLIENT_ID (and GEMINI_OAUTH_CLIENT_SECRET where the client has one) to your organisation's client; ${WITHOUT_CLIENT}`
})

const unavailable = (url: URL, why: string) =>
  new AuthError({
    reason: "google-unavailable",
    detail: `the sign-in server ${url.host} could not be used: ${why}`,
    hint: "Check the network and HTTPS_PROXY, and try again; what is stored was left as it is."
  })

/** What a server says, as a part of our sentence. */
export const saidBy = (text: string): string => shortLine(text).replace(/[.\s]+$/, "")

const refused = (grant: Grant, status: number, refusal: Option.Option<typeof Refusal.Type>): AuthError => {
  const error = Option.getOrUndefined(refusal)
  const said = saidBy(error?.error_description ?? error?.error ?? `HTTP ${status}, and no token`)
  if (grant.grant_type === "authorization_code") {
    return new AuthError({
      reason: "sign-in-refused",
      detail: `the code was not accepted: ${said}`,
      hint: "Sign in again: gemini auth login."
    })
  }
  if (error?.error === "invalid_grant") {
    return new AuthError({
      reason: "sign-in-refused",
      detail: `the sign-in with Google was revoked or has ended: ${said}`,
      hint: "Sign in again: gemini auth login."
    })
  }
  return new AuthError({
    reason: "sign-in-refused",
    detail: `the sign-in with Google could not be renewed: ${said}`,
    hint: "Check GEMINI_OAUTH_CLIENT_ID and GEMINI_OAUTH_CLIENT_SECRET, or sign in again: gemini auth login."
  })
}
