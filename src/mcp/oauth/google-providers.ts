/**
 * Servers that take Google's own credentials: the token of the application default credentials, or an identity token of
 * a service account that they may act for. Tokens are kept until shortly before they expire.
 */
import { Clock, Effect, Option, Ref, Schema } from "effect"
import type { HttpClient } from "../../system/http/http.ts"
import { McpError } from "../mcp-error.ts"
import type { Signature } from "../server-auth.ts"
import type { ServerPlan } from "../server-config.ts"
import { type Impersonation, identityTokenOf } from "./impersonation.ts"

export interface GoogleProviderOptions {
  readonly http: HttpClient
  /** Headers of the application default credentials for these scopes; fails with a reason. */
  readonly credentials: (
    scopes: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, string>
}

const CLOUD_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
const GOOGLE_HOSTS = /(?:^|\.)(?:googleapis\.com|luci\.app)$/
const EARLY_MS = 5 * 60_000

export const makeGoogleProviders = (options: GoogleProviderOptions) =>
  Effect.gen(function* () {
    const tokens = yield* Ref.make<ReadonlyMap<string, { readonly token: string; readonly expiresAt: number }>>(
      new Map()
    )

    const by: Impersonation = {
      http: options.http,
      signed: Effect.suspend(() => Effect.map(options.credentials([CLOUD_SCOPE]), Object.fromEntries))
    }

    const fromCredentials = Effect.fnUntraced(function* (plan: ServerPlan) {
      const scopes = plan.settings.oauth?.scopes ?? []
      if (scopes.length === 0) return yield* wrong(plan, "needs oauth.scopes with google_credentials")
      const host = hostOf(plan)
      if (host === undefined || !GOOGLE_HOSTS.test(host)) {
        return yield* wrong(plan, "is not one of Google's, so Google credentials are not sent to it")
      }
      const headers = yield* Effect.mapError(options.credentials(scopes), (why) => failed(plan, why))
      return { headers: Object.fromEntries(headers) } satisfies Signature
    })

    const impersonated = Effect.fnUntraced(function* (plan: ServerPlan) {
      const { targetAudience: audience, targetServiceAccount: account } = plan.settings
      if (hostOf(plan) === undefined || audience === undefined || account === undefined) {
        return yield* wrong(plan, "needs url, targetAudience and targetServiceAccount to act for a service account")
      }
      const now = yield* Clock.currentTimeMillis
      const known = (yield* Ref.get(tokens)).get(plan.name)
      const token =
        known !== undefined && now < known.expiresAt - EARLY_MS
          ? known.token
          : yield* Effect.mapError(identityTokenOf(account, audience, by), (why) => failed(plan, why))
      yield* Ref.update(tokens, (before) =>
        new Map(before).set(plan.name, { token, expiresAt: expiryOf(token) ?? now })
      )
      return { headers: { authorization: `Bearer ${token}` } } satisfies Signature
    })

    return (plan: ServerPlan): Effect.Effect<Signature, McpError> | undefined => {
      switch (plan.settings.authProviderType) {
        case "google_credentials":
          return fromCredentials(plan)
        case "service_account_impersonation":
          return impersonated(plan)
        default:
          return undefined
      }
    }
  })

const Claims = Schema.parseJson(Schema.Struct({ exp: Schema.Number }))

/** Milliseconds since 1970, as the token itself says. */
const expiryOf = (token: string): number | undefined =>
  Schema.decodeUnknownOption(Claims)(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).pipe(
    Option.map(({ exp }) => exp * 1000),
    Option.getOrUndefined
  )

const hostOf = ({ transport }: ServerPlan): string | undefined =>
  "url" in transport ? new URL(transport.url).hostname : undefined

const wrong = (plan: ServerPlan, detail: string) =>
  new McpError({ server: plan.name, kind: "config", detail, hint: `Correct mcpServers.${plan.name} in the settings.` })

const failed = (plan: ServerPlan, why: string) =>
  new McpError({ server: plan.name, kind: "unauthorized", detail: `cannot be authenticated to: ${why}` })
