/**
 * The API key that the user stored: in the key store of the system, else in the encrypted file. Asked only when a key
 * is needed and the environment has none. A store that is locked may wait for a person who is not there, so the wait
 * is bounded; a store that is missing or silent is no error, the file is asked next.
 */
import { hostname, userInfo } from "node:os"
import { join } from "node:path"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { AuthError } from "./auth-plan.ts"
import { changeSecret, type MachineIdentity, readSecret, type SecretName } from "./credentials-file.ts"

/** Names that other versions of the program use too. */
const API_KEY: SecretName = { service: "gemini-cli-api-key", account: "default-api-key" }
const STORE_WITHIN = "2 seconds"

const StoredToken = Schema.parseJson(Schema.Struct({ token: Schema.Struct({ accessToken: Schema.String }) }))

export interface KeyStoreOptions {
  /** Absent: there is no file to read. */
  readonly home: string | undefined
  /** `GEMINI_FORCE_FILE_STORAGE=true`: never ask the system. */
  readonly fileOnly: boolean
}

/** The key store of the system. */
export interface SystemStore {
  /** `null` where it holds no such secret. */
  readonly get: (secret: SecretName) => Promise<string | null>
  readonly set: (secret: SecretName, value: string) => Promise<void>
  /** False where there was nothing to remove. */
  readonly delete: (secret: SecretName) => Promise<boolean>
}

export const storedApiKey = Effect.fn("Auth.storedApiKey")(function* (
  options: KeyStoreOptions,
  store: SystemStore = bunSecrets
): Effect.fn.Return<Option.Option<Redacted.Redacted>, AuthError> {
  const secret = options.fileOnly ? Option.none() : yield* inSystem(() => store.get(API_KEY))
  const fromSystem = secret.pipe(Option.flatMap(Option.fromNullable), Option.flatMap(keyIn))
  const file = fileOf(options)
  if (Option.isSome(fromSystem) || file === undefined) return fromSystem
  return Option.flatMap(yield* readSecret(file, API_KEY, machineIdentity()), keyIn)
})

/** Where a key was put: in the key store of the system, or in this file. */
export type KeyPlace = { readonly _tag: "System" } | { readonly _tag: "File"; readonly file: string }

/** What the system takes is read back: some stores accept everything and keep nothing. */
export const storeApiKey = Effect.fn("Auth.storeApiKey")(function* (
  key: Redacted.Redacted,
  options: KeyStoreOptions,
  store: SystemStore = bunSecrets
): Effect.fn.Return<KeyPlace, AuthError> {
  const secret = tokenText(key, yield* Clock.currentTimeMillis)
  const kept = options.fileOnly
    ? Option.none()
    : yield* inSystem(async () => {
        await store.set(API_KEY, secret)
        return (await store.get(API_KEY)) === secret
      })
  if (Option.contains(kept, true)) return { _tag: "System" }
  const file = fileOf(options)
  if (file === undefined) return yield* noPlace
  yield* changeSecret(file, API_KEY, secret, machineIdentity())
  return { _tag: "File", file }
})

/** Removes the key wherever it is. */
export const forgetApiKey = Effect.fn("Auth.forgetApiKey")(function* (
  options: KeyStoreOptions,
  store: SystemStore = bunSecrets
): Effect.fn.Return<void, AuthError> {
  if (!options.fileOnly) yield* inSystem(() => store.delete(API_KEY))
  const file = fileOf(options)
  if (file !== undefined) yield* changeSecret(file, API_KEY, undefined, machineIdentity())
})

const fileOf = ({ home }: KeyStoreOptions): string | undefined =>
  home === undefined ? undefined : join(home, ".gemini", "gemini-credentials.json")

const noPlace = new AuthError({
  reason: "key-store",
  detail: "the key cannot be stored: the system has no key store, and there is no home folder for a file",
  hint: "Set GEMINI_API_KEY instead."
})

const bunSecrets: SystemStore = {
  get: ({ account, service }) => Bun.secrets.get({ service, name: account }),
  set: ({ account, service }, value) => Bun.secrets.set({ service, name: account, value }),
  delete: ({ account, service }) => Bun.secrets.delete({ service, name: account })
}

/** `None`: the system has no store, or does not answer in time. */
const inSystem = <A>(work: () => Promise<A>): Effect.Effect<Option.Option<A>> =>
  Effect.tryPromise(work).pipe(
    Effect.timeout(STORE_WITHIN),
    Effect.tapError((error) =>
      Effect.logDebug("key store of the system not used").pipe(Effect.annotateLogs({ reason: error._tag }))
    ),
    Effect.option
  )

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

/** A container may run under a user without a name. */
const machineIdentity = (): MachineIdentity => ({ hostname: hostname(), user: Option.getOrElse(userName(), () => "") })

const userName = Option.liftThrowable(() => userInfo().username)
