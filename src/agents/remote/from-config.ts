/** Remote agents of a run: how they are reached and signed in to, from its configuration. */
import { Clock, Effect, Layer, Ref } from "effect"
import { httpOf } from "../../config/http.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { variableRedaction } from "../../config/variable-redaction.ts"
import { serviceOf } from "../../kernel/layers.ts"
import { lazy } from "../../kernel/lazy.ts"
import * as Signing from "../../mcp/oauth/auth-from-config.ts"
import { agentLoginStore } from "../../mcp/oauth/auth-from-config.ts"
import { ServerAuth } from "../../mcp/server-auth.ts"
import { Notices } from "../../protocol/notices.ts"
import type { RunFacts } from "../../protocol/run-facts.ts"
import { childVariables } from "../../system/child-variables.ts"
import { loginDialogue } from "../../tools/mcp/join-servers.ts"
import type { AuthSources, GoogleRequest, Headers } from "./auth-headers.ts"
import { commandOutput } from "./secret-value.ts"

export const makeRemoteAgents = Effect.fnUntraced(function* (
  config: LoadedConfig,
  { isInteractive }: Pick<RunFacts, "isInteractive">
) {
  const { environment, settings } = config
  // A person may let a credential of ours through, for a program that makes tokens of it.
  const { allowed } = variableRedaction(settings)
  const env = childVariables({ inherits: environment.variables, redaction: { enabled: false, allowed, blocked: [] } })
  const { make } = yield* lazy(() => import("./remote-agents.live.ts"))
  return yield* make({
    http: httpOf(config),
    variables: environment.variables,
    auth: {
      variable: environment.get,
      output: commandOutput({ env, platform: environment.platform, cwd: environment.cwd }),
      logins: yield* logins(config, isInteractive),
      canLogIn: isInteractive,
      google: yield* google(config)
    }
  })
})

/** As for MCP servers, in a file of their own. */
const logins = Effect.fnUntraced(function* (config: LoadedConfig, isInteractive: boolean) {
  const { info } = yield* Notices
  const dialogue = isInteractive ? yield* loginDialogue(config) : undefined
  const signing = Signing.layer({
    http: httpOf(config),
    dialogue,
    variable: config.environment.get,
    credentials: () => Effect.fail("Google credentials are signed elsewhere")
  }).pipe(Layer.provide(agentLoginStore(config, info)))
  return yield* Effect.scoped(serviceOf(ServerAuth, signing))
})

/** Tokens live for an hour. */
const KEPT_MS = 30 * 60_000

const google = Effect.fnUntraced(function* (config: LoadedConfig) {
  const kept = yield* Ref.make<ReadonlyMap<string, { readonly headers: Headers; readonly until: number }>>(new Map())
  const { environment } = config
  const made = Effect.fnUntraced(function* (request: GoogleRequest) {
    const { makeCredentialHeaders, makeIdentityHeaders } = yield* lazy(
      () => import("../../auth/google-credentials.live.ts")
    )
    const options = {
      credentialsFile: environment.get("GOOGLE_APPLICATION_CREDENTIALS"),
      quotaProject: environment.get("GOOGLE_CLOUD_QUOTA_PROJECT"),
      http: httpOf(config)
    }
    if (request.account !== undefined) {
      const { accessTokenOf, identityTokenOf } = yield* lazy(() => import("../../mcp/oauth/impersonation.ts"))
      const by = {
        http: options.http,
        signed: makeCredentialHeaders(options).pipe(
          Effect.mapBoth({ onFailure: ({ detail }) => detail, onSuccess: Object.fromEntries })
        )
      }
      const token =
        request._tag === "access"
          ? accessTokenOf(request.account, request.scopes, by)
          : identityTokenOf(request.account, request.audience, by)
      return { authorization: `Bearer ${yield* Effect.mapError(token, (detail) => ({ detail }))}` }
    }
    return request._tag === "access"
      ? Object.fromEntries(yield* makeCredentialHeaders({ ...options, scopes: request.scopes }))
      : yield* makeIdentityHeaders(request.audience, options)
  })
  const source: AuthSources["google"] = (request, { isFresh }) =>
    Effect.gen(function* () {
      const key = JSON.stringify(request)
      const now = yield* Clock.currentTimeMillis
      const known = (yield* Ref.get(kept)).get(key)
      if (!isFresh && known !== undefined && now < known.until) return known.headers
      const headers = yield* Effect.mapError(made(request), ({ detail }) => detail)
      yield* Ref.update(kept, (all) => new Map(all).set(key, { headers, until: now + KEPT_MS }))
      return headers
    })
  return source
})
