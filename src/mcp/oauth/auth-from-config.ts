/** Logins and credentials for servers from the configuration of a run, and with them every way of signing requests. */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as Credentials from "../../auth/credentials.ts"
import { httpOf } from "../../config/http.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { lazy } from "../../kernel/lazy.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { noLogin, ServerAuth } from "../server-auth.ts"
import { type GoogleProviderOptions, makeGoogleProviders } from "./google-providers.ts"
import { type KeptLoginsOptions, type LoginDialogue, makeKeptLogins } from "./kept-logins.ts"
import * as LoginStore from "./login-store.ts"

type Say = LoginStore.LoginPlaces["say"]

export const authFromConfig = (config: LoadedConfig, say: Say, dialogue?: LoginDialogue | undefined) => {
  const http = httpOf(config)
  return layer({
    http,
    dialogue,
    variable: config.environment.get,
    credentials: googleCredentials(config, http)
  }).pipe(Layer.provide(loginStore(config, say)))
}

/** Of MCP servers. `say`: where logins move to. */
export const loginStore = (config: LoadedConfig, say: Say) =>
  LoginStore.layer({
    plainFile: config.storage.mcpTokensFile,
    namesFile: join(config.storage.userDir, "mcp-logins.json"),
    service: "gemini-cli-oauth",
    alwaysAsks: config.environment.get("GEMINI_FORCE_ENCRYPTED_FILE_STORAGE") === "true",
    say
  }).pipe(Layer.provide(Credentials.layer(config)))

/** Of remote agents, which may have the names of servers. */
export const agentLoginStore = (config: LoadedConfig, say: Say) =>
  LoginStore.layer({
    plainFile: join(config.storage.userDir, "a2a-oauth-tokens.json"),
    namesFile: join(config.storage.userDir, "a2a-logins.json"),
    service: "gemini-cli-a2a-oauth",
    alwaysAsks: false,
    say
  }).pipe(Layer.provide(Credentials.layer(config)))

const googleCredentials =
  ({ environment }: LoadedConfig, http: HttpClient): GoogleProviderOptions["credentials"] =>
  (scopes) =>
    Effect.flatMap(
      lazy(() => import("../../auth/google-credentials.live.ts")),
      ({ makeCredentialHeaders }) =>
        makeCredentialHeaders({
          credentialsFile: environment.get("GOOGLE_APPLICATION_CREDENTIALS"),
          quotaProject: environment.get("GOOGLE_CLOUD_QUOTA_PROJECT"),
          scopes,
          http
        })
    ).pipe(Effect.mapError(({ detail }) => detail))

/** Every way of signing requests to a server, chosen by its settings. */
export const layer = (options: KeptLoginsOptions & GoogleProviderOptions) =>
  Layer.effect(
    ServerAuth,
    Effect.gen(function* () {
      const logins = yield* makeKeptLogins(options)
      const google = yield* makeGoogleProviders(options)
      return ServerAuth.of({
        sign: (plan) => google(plan) ?? logins.sign(plan),
        renew: (plan, refusal) => (google(plan) === undefined ? logins.renew(plan, refusal) : Effect.succeed(false)),
        logIn: (plan) =>
          options.dialogue === undefined || google(plan) !== undefined
            ? noLogin(plan.name)
            : logins.logIn(plan, options.dialogue)
      })
    })
  )
