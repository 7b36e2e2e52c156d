/** The API key that the user stored. Asked for only when a key is needed and the environment has none. */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import type { AuthError } from "./auth-plan.ts"
import type { Credentials, SecretPlace } from "./credentials.ts"
import type { SecretName } from "./credentials-file.ts"

/** Names that other versions of the program use too. */
export const API_KEY: SecretName = { service: "gemini-cli-api-key", account: "default-api-key" }

const StoredToken = Schema.parseJson(Schema.Struct({ token: Schema.Struct({ accessToken: Schema.String }) }))

export const storedApiKey = (
  credentials: Credentials["Type"]
): Effect.Effect<Option.Option<Redacted.Redacted>, AuthError> => credentials.find(API_KEY, keyIn)

export const storeApiKey = (
  key: Redacted.Redacted,
  credentials: Credentials["Type"]
): Effect.Effect<SecretPlace, AuthError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => credentials.keep(API_KEY, tokenText(key, now)))

/** Removes the key wherever it is. */
export const forgetApiKey = (credentials: Credentials["Type"]): Effect.Effect<void, AuthError> =>
  credentials.forget(API_KEY)

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
