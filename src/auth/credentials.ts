/**
 * Everything secret that is kept between runs: API keys, sign-ins, logins to servers and remote agents, values of
 * extensions. In the key store of the system, else in the encrypted file. A store that is locked may wait for a person who
 * is not there, so the wait is bounded, and happens once; a store that is missing or silent is no error, the file serves in
 * its place.
 */
import { hostname, userInfo } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Option } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { count, log, record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { AuthError } from "./auth-plan.ts"
import { changeSecret, type MachineIdentity, readSecret, type SecretName } from "./credentials-file.ts"

export class Credentials extends Context.Tag("agent/auth/Credentials")<
  Credentials,
  {
    /** The first place whose secret makes sense to `decode`. */
    readonly find: <A>(
      name: SecretName,
      decode: (secret: string) => Option.Option<A>
    ) => Effect.Effect<Option.Option<A>, AuthError>
    readonly keep: (name: SecretName, secret: string) => Effect.Effect<SecretPlace, AuthError>
    /** Removes it wherever it is. */
    readonly forget: (name: SecretName) => Effect.Effect<void, AuthError>
    /** Where it is found. */
    readonly placeOf: (name: SecretName) => Effect.Effect<Option.Option<SecretPlace>, AuthError>
  }
>() {}

/** Where a secret was put: in the key store of the system, or in this file. */
export type SecretPlace = { readonly _tag: "System" } | { readonly _tag: "File"; readonly file: string }

export const describePlace = (place: SecretPlace): string =>
  place._tag === "System" ? "the key store of the system" : place.file

export interface KeptCredentialsOptions {
  /** Absent: there is no file to read. */
  readonly home: string | undefined
  /** `GEMINI_FORCE_FILE_STORAGE=true`: never ask the system. */
  readonly fileOnly: boolean
}

export const credentialsOf = ({ environment }: Pick<LoadedConfig, "environment">): Credentials["Type"] =>
  make({ home: environment.home, fileOnly: environment.get("GEMINI_FORCE_FILE_STORAGE") === "true" })

export const layer = (config: Pick<LoadedConfig, "environment">) => Layer.sync(Credentials, () => credentialsOf(config))

const STORE_WITHIN = "2 seconds"

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

export const make = (options: KeptCredentialsOptions, store: SystemStore = bunSecrets): Credentials["Type"] => {
  const file = fileOf(options)
  let isSilent = false
  const ask = <A>(work: () => Promise<A>): Effect.Effect<Option.Option<A>> =>
    Effect.suspend(() => (options.fileOnly || isSilent ? Effect.succeed(Option.none<A>()) : inSystem(work))).pipe(
      Effect.tap((answer) =>
        Effect.sync(() => {
          isSilent = Option.isNone(answer)
        })
      )
    )

  const located = Effect.fnUntraced(function* <A>(name: SecretName, decode: (secret: string) => Option.Option<A>) {
    const answer = yield* ask(() => store.get(name))
    yield* tellOfStore(options, Option.isSome(answer))
    const fromSystem = answer.pipe(Option.flatMap(Option.fromNullable), Option.flatMap(decode))
    if (Option.isSome(fromSystem)) return Option.some({ place: SYSTEM, value: fromSystem.value })
    if (file === undefined) return Option.none()
    const inFile = Option.flatMap(yield* readSecret(file, name, machineIdentity()), decode)
    return Option.map(inFile, (value) => ({ place: { _tag: "File", file } as SecretPlace, value }))
  })

  return {
    find: Effect.fn("Credentials.find")((name, decode) =>
      Effect.map(
        located(name, decode),
        Option.map(({ value }) => value)
      )
    ),

    placeOf: Effect.fn("Credentials.placeOf")((name) =>
      Effect.map(
        located(name, Option.some),
        Option.map(({ place }) => place)
      )
    ),

    /** What the system takes is read back: some stores accept everything and keep nothing. */
    keep: Effect.fn("Credentials.keep")(function* (name, secret): Effect.fn.Return<SecretPlace, AuthError> {
      const kept = yield* ask(async () => {
        await store.set(name, secret)
        return (await store.get(name)) === secret
      })
      yield* tellOfStore(options, Option.contains(kept, true))
      if (file === undefined) return Option.contains(kept, true) ? SYSTEM : yield* noPlace
      // One in the file that is older would come back where the system is not asked.
      if (Option.contains(kept, true)) yield* Effect.ignore(changeSecret(file, name, undefined, machineIdentity()))
      else yield* changeSecret(file, name, secret, machineIdentity())
      return Option.contains(kept, true) ? SYSTEM : { _tag: "File", file }
    }),

    forget: Effect.fn("Credentials.forget")(function* (name): Effect.fn.Return<void, AuthError> {
      yield* ask(() => store.delete(name))
      if (file !== undefined) yield* changeSecret(file, name, undefined, machineIdentity())
    })
  }
}

const SYSTEM: SecretPlace = { _tag: "System" }

const fileOf = ({ home }: KeptCredentialsOptions): string | undefined =>
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
const tellOfStore = Effect.fnUntraced(function* ({ fileOnly: forced }: KeptCredentialsOptions, available: boolean) {
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
