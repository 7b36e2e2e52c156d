/** The API key that the user stored. Asked for only when a key is needed and the environment has none. */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import type { AuthError } from "./auth-plan.ts"
import type { SecretName } from "./credentials-file.ts"
import {
  bunSecrets,
  findSecret,
  forgetSecret,
  keepSecret,
  type SecretPlace,
  type SecretStoreOptions,
  type SystemStore
} from "./secret-store.ts"

/** Names that other versions of the program use too. */
const API_KEY: SecretName = { service: "gemini-cli-api-key", account: "default-api-key" }

const StoredToken = Schema.parseJson(Schema.Struct({ token: Schema.Struct({ accessToken: Schema.String }) }))

export const storedApiKey = (
  options: SecretStoreOptions,
  store: SystemStore = bunSecrets
): Effect.Effect<Option.Option<Redacted.Redacted>, AuthError> => findSecret(API_KEY, keyIn, options, store)

export const storeApiKey = (
  key: Redacted.Redacted,
  options: SecretStoreOptions,
  store: SystemStore = bunSecrets
): Effect.Effect<SecretPlace, AuthError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => keepSecret(API_KEY, tokenText(key, now), options, store))

/** Removes the key wherever it is. */
export const forgetApiKey = (
  options: SecretStoreOptions,
  store: SystemStore = bunSecrets
): Effect.Effect<void, AuthError> => forgetSecret(API_KEY, options, store)

const tokenText = (key: Redacted.Redacted, updatedAt: number): string =>
  JSON.stringify({
    serverName: API_KEY.account,
    token: { accessToken: Redacted.value(key), tokenType: "ApiKey" },
    updatedAt
  })

const keyIn = (secret: string): Option.Option<Redacted.Redacted> =>
  Schema.decodeUnknownOption(StoredToken)(secret).pipe(
    Option.map(({ token }) => token.accessToken.trim()),
    Option.filter((key) => key !== ""),
    Option.map(Redacted.make)
  )
