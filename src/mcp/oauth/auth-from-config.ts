/** Logins and credentials for servers, from the configuration of a run. */
import { Effect, Layer } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { proxyFor } from "../../kernel/proxy.ts"
import type { GoogleProviderOptions } from "./google-providers.ts"
import type { LoginDialogue } from "./login.ts"
import * as LoginStore from "./login-store.ts"
import type { HttpFetch } from "./oauth-http.ts"
import * as Signing from "./signing.ts"

export const authFromConfig = (config: LoadedConfig, dialogue?: LoginDialogue | undefined) => {
  const fetch = proxied(config)
  return Signing.layer({
    fetch,
    dialogue,
    variable: config.environment.get,
    credentials: googleCredentials(config, fetch)
  }).pipe(Layer.provide(loginStore(config)))
}

/** In a plain file as other versions keep them, or enciphered where the user asks for it. */
export const loginStore = ({ environment, storage }: LoadedConfig) =>
  environment.get("GEMINI_FORCE_ENCRYPTED_FILE_STORAGE") === "true"
    ? LoginStore.layerKeyStore({
        home: environment.home,
        fileOnly: environment.get("GEMINI_FORCE_FILE_STORAGE") === "true"
      })
    : LoginStore.layerFile(storage.mcpTokensFile)

/** Through the proxy of the run. */
export const proxied =
  ({ environment }: LoadedConfig): HttpFetch =>
  (url, init) => {
    const proxy = proxyFor(new URL(url), environment.variables)
    return fetch(url, { ...init, ...(proxy === undefined ? {} : { proxy }) })
  }

const googleCredentials =
  ({ environment }: LoadedConfig, fetch: HttpFetch): GoogleProviderOptions["credentials"] =>
  (scopes) =>
    Effect.flatMap(
      Effect.promise(() => import("../../auth/google-credentials.live.ts")),
      ({ makeCredentialHeaders }) =>
        makeCredentialHeaders({
          credentialsFile: environment.get("GOOGLE_APPLICATION_CREDENTIALS"),
          quotaProject: environment.get("GOOGLE_CLOUD_QUOTA_PROJECT"),
          scopes,
          fetch: (input, init) => fetch(input instanceof Request ? input.url : String(input), init)
        })
    ).pipe(Effect.mapError(({ detail }) => detail))
