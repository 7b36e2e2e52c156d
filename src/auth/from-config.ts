/** How requests of this configuration are authenticated. Nothing is sent; the store of secrets is opened only without a key. */
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { lazy } from "../kernel/lazy.ts"
import type { AuthType } from "../protocol/modes.ts"
import { selectAuth } from "./select-auth.ts"

/** `chosen`: by the person in this session; settings and environment are not asked then. */
export const plannedAuth = ({ environment, settings }: LoadedConfig, chosen?: AuthType) =>
  Effect.map(
    selectAuth({
      variables: environment.variables,
      selectedType: chosen ?? settings.get("security.auth.selectedType"),
      enforcedType: settings.get("security.auth.enforcedType"),
      useExternal: settings.get("security.auth.useExternal"),
      storedKey: Effect.flatMap(
        lazy(() => Promise.all([import("./api-key.ts"), import("./credentials.ts")])),
        ([{ storedApiKey }, { credentialsOf }]) => storedApiKey(credentialsOf({ environment }))
      )
    }),
    ({ plan }) => plan
  )
