/** Acting for a service account: short tokens of it, made by Google for whoever may. */
import { Effect, Schema } from "effect"
import type { HttpClient } from "../../system/http/http.ts"
import { ask } from "./oauth-http.ts"

export interface Impersonation {
  readonly http: HttpClient
  /** Headers of whoever acts for the account, for all of Google Cloud. */
  readonly signed: Effect.Effect<Readonly<Record<string, string>>, string>
}

const IdentityToken = Schema.parseJson(Schema.Struct({ token: Schema.NonEmptyString }))
const AccessToken = Schema.parseJson(Schema.Struct({ accessToken: Schema.NonEmptyString }))

/** Says to one receiver that the account calls; fails with a reason. */
export const identityTokenOf = (account: string, audience: string, by: Impersonation) =>
  Effect.map(
    generated(IdentityToken, { account, method: "generateIdToken", body: { audience, includeEmail: true } }, by),
    ({ token }) => token
  )

/** Opens what the account may open; fails with a reason. */
export const accessTokenOf = (account: string, scopes: ReadonlyArray<string>, by: Impersonation) =>
  Effect.map(
    generated(AccessToken, { account, method: "generateAccessToken", body: { scope: scopes } }, by),
    ({ accessToken }) => accessToken
  )

interface Wish {
  readonly account: string
  readonly method: "generateIdToken" | "generateAccessToken"
  readonly body: object
}

const generated = Effect.fnUntraced(function* <A>(
  schema: Schema.Schema<A, string>,
  { account, body, method }: Wish,
  { http, signed }: Impersonation
) {
  const url = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${encodeURIComponent(account)}:${method}`
  const { status, text } = yield* ask(http, url, {
    method: "POST",
    headers: { ...(yield* signed), "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  if (status !== 200)
    return yield* Effect.fail(
      `no ${method === "generateIdToken" ? "identity" : "access"} token for ${account} (status ${status})`
    )
  return yield* Effect.mapError(Schema.decodeUnknown(schema)(text), () => `the answer for ${account} holds no token`)
})
