/**
 * Secrets that the user stored: in the key store of the system, else in the encrypted file. A store that is locked may
 * wait for a person who is not there, so the wait is bounded; a store that is missing or silent is no error, the file
 * serves in its place.
 */
import { hostname, userInfo } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { count, log, record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { AuthError } from "./auth-plan.ts"
import { changeSecret, type MachineIdentity, readSecret, type SecretName } from "./credentials-file.ts"

const STORE_WITHIN = "2 seconds"

export interface SecretStoreOptions {
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

export const bunSecrets: SystemStore = {
  get: ({ account, service }) => Bun.secrets.get({ service, name: account }),
  set: ({ account, service }, value) => Bun.secrets.set({ service, name: account, value }),
  delete: ({ account, service }) => Bun.secrets.delete({ service, name: account })
}

/** The first place whose secret makes sense to `decode`. */
export const findSecret = Effect.fn("Auth.findSecret")(function* <A>(
  name: SecretName,
  decode: (secret: string) => Option.Option<A>,
  options: SecretStoreOptions,
  store: SystemStore = bunSecrets
) {
  const secret = options.fileOnly ? Option.none() : yield* inSystem(() => store.get(name))
  yield* tellOfStore(options, Option.isSome(secret))
  const fromSystem = secret.pipe(Option.flatMap(Option.fromNullable), Option.flatMap(decode))
  const file = fileOf(options)
  if (Option.isSome(fromSystem) || file === undefined) return fromSystem
  return Option.flatMap(yield* readSecret(file, name, machineIdentity()), decode)
})

/** Where a secret was put: in the key store of the system, or in this file. */
export type SecretPlace = { readonly _tag: "System" } | { readonly _tag: "File"; readonly file: string }

/** What the system takes is read back: some stores accept everything and keep nothing. */
export const keepSecret = Effect.fn("Auth.keepSecret")(function* (
  name: SecretName,
  secret: string,
  options: SecretStoreOptions,
  store: SystemStore = bunSecrets
): Effect.fn.Return<SecretPlace, AuthError> {
  const kept = options.fileOnly
    ? Option.none()
    : yield* inSystem(async () => {
        await store.set(name, secret)
        return (await store.get(name)) === secret
      })
  yield* tellOfStore(options, Option.contains(kept, true))
  if (Option.contains(kept, true)) return { _tag: "System" }
  const file = fileOf(options)
  if (file === undefined) return yield* noPlace
  yield* changeSecret(file, name, secret, machineIdentity())
  return { _tag: "File", file }
})

/** Removes the secret wherever it is. */
export const forgetSecret = Effect.fn("Auth.forgetSecret")(function* (
  name: SecretName,
  options: SecretStoreOptions,
  store: SystemStore = bunSecrets
): Effect.fn.Return<void, AuthError> {
  if (!options.fileOnly) yield* inSystem(() => store.delete(name))
  const file = fileOf(options)
  if (file !== undefined) yield* changeSecret(file, name, undefined, machineIdentity())
})

const fileOf = ({ home }: SecretStoreOptions): string | undefined =>
  home === undefined ? undefined : join(home, ".gemini", "gemini-credentials.json")

const noPlace = new AuthError({
  reason: "key-store",
  detail: "the secret cannot be stored: the system has no key store, and there is no home folder for a file",
  hint: "Set HOME or GEMINI_CLI_HOME; an API key can also be given as GEMINI_API_KEY."
})

/** `None`: the system has no store, or does not answer in time. */
export const inSystem = <A>(work: () => Promise<A>): Effect.Effect<Option.Option<A>> =>
  Effect.tryPromise(work).pipe(
    Effect.timeout(STORE_WITHIN),
    Effect.tapError((error) =>
      Effect.logDebug("key store of the system not used").pipe(Effect.annotateLogs({ reason: error._tag }))
    ),
    Effect.option
  )

/** Where secrets are, as telemetry. Whether the system has a store is not known where it was not asked. */
const tellOfStore = Effect.fnUntraced(function* ({ fileOnly: forced }: SecretStoreOptions, available: boolean) {
  const type = available ? "keychain" : "encrypted_file"
  yield* record(yield* Telemetry, [
    ...(forced
      ? []
      : [
          log("gemini_cli.keychain.availability", `Key store available: ${available}.`, { available }),
          ...count("gemini_cli.keychain.availability.count", { available })
        ]),
    log("gemini_cli.token_storage.initialization", `Credentials are kept in ${type}.`, { type, forced }),
    ...count("gemini_cli.token_storage.type.count", { type, forced })
  ])
})

/** A container may run under a user without a name. */
const machineIdentity = (): MachineIdentity => ({ hostname: hostname(), user: Option.getOrElse(userName(), () => "") })

const userName = Option.liftThrowable(() => userInfo().username)
