/** Logins and credentials for servers, from the configuration of a run. */

import { Effect, Layer } from "effect"
import { httpOf } from "../../config/http.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { lazy } from "../../kernel/lazy.ts"
import type { HttpClient } from "../../system/http/http.ts"
import type { GoogleProviderOptions } from "./google-providers.ts"
import type { LoginDialogue } from "./login.ts"
import * as LoginStore from "./login-store.ts"
import * as Signing from "./signing.ts"

export const authFromConfig = (config: LoadedConfig, dialogue?: LoginDialogue | undefined) => {
  const http = httpOf(config)
  return Signing.layer({
    http,
    dialogue,
    variable: config.environment.get,
    credentials: googleCredentials(config, http)
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
