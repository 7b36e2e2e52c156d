/**
 * The API key that the user stored: in the key store of the system, else in the encrypted file. Asked only when a key
 * is needed and the environment has none. A store that is locked may wait for a person who is not there, so the wait
 * is bounded; a store that is missing or silent is no error, the file is asked next.
 */
import { hostname, userInfo } from "node:os"
import { join } from "node:path"
import { Effect, Option, Redacted, Schema } from "effect"
import type { AuthError } from "./auth-plan.ts"
import { type MachineIdentity, readSecret } from "./credentials-file.ts"

/** Names that other versions of the program use too. */
const API_KEY = { service: "gemini-cli-api-key", account: "default-api-key" } as const
const STORE_WITHIN = "2 seconds"

const StoredToken = Schema.parseJson(Schema.Struct({ token: Schema.Struct({ accessToken: Schema.String }) }))

export interface KeyStoreOptions {
  /** Absent: there is no file to read. */
  readonly home: string | undefined
  /** `GEMINI_FORCE_FILE_STORAGE=true`: never ask the system. */
  readonly fileOnly: boolean
}

/** The key store of the system, by the names of a secret; `null` where it holds none. */
export type SystemStore = (secret: { readonly service: string; readonly account: string }) => Promise<string | null>

export const storedApiKey = Effect.fn("Auth.storedApiKey")(function* (
  options: KeyStoreOptions,
  store: SystemStore = bunSecrets
): Effect.fn.Return<Option.Option<Redacted.Redacted>, AuthError> {
  const fromSystem = options.fileOnly ? Option.none() : Option.flatMap(yield* askSystem(store), keyIn)
  if (Option.isSome(fromSystem) || options.home === undefined) return fromSystem
  const file = join(options.home, ".gemini", "gemini-credentials.json")
  return Option.flatMap(yield* readSecret(file, API_KEY, machineIdentity()), keyIn)
})

const bunSecrets: SystemStore = ({ account, service }) => Bun.secrets.get({ service, name: account })

const askSystem = (store: SystemStore) =>
  Effect.tryPromise(() => store(API_KEY)).pipe(
    Effect.timeout(STORE_WITHIN),
    Effect.tapError((error) =>
      Effect.logDebug("key store of the system not used").pipe(Effect.annotateLogs({ reason: error._tag }))
    ),
    Effect.option,
    Effect.map(Option.flatMap(Option.fromNullable))
  )

const keyIn = (secret: string): Option.Option<Redacted.Redacted> =>
  Schema.decodeUnknownOption(StoredToken)(secret).pipe(
    Option.map(({ token }) => token.accessToken.trim()),
    Option.filter((key) => key !== ""),
    Option.map(Redacted.make)
  )

/** A container may run under a user without a name. */
const machineIdentity = (): MachineIdentity => ({ hostname: hostname(), user: Option.getOrElse(userName(), () => "") })

const userName = Option.liftThrowable(() => userInfo().username)
