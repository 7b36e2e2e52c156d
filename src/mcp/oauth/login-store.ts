/**
 * Logins to servers between runs: `~/.gemini/mcp-oauth-tokens.json`, shared with other versions of the program, or the
 * key store of the system where the user asks for it (`GEMINI_FORCE_ENCRYPTED_FILE_STORAGE=true`).
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { AuthError } from "../../auth/auth-plan.ts"
import { findSecret, forgetSecret, keepSecret, type SecretStoreOptions } from "../../auth/secret-store.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { withLock } from "../../system/lock.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { StorageError } from "../../system/storage-error.ts"
import { StoredLogin } from "./stored-login.ts"

export class LoginStore extends Context.Tag("agent/mcp/LoginStore")<
  LoginStore,
  {
    readonly find: (server: string) => Effect.Effect<Option.Option<StoredLogin>, StorageError>
    readonly keep: (login: StoredLogin) => Effect.Effect<void, StorageError>
    /** `false`: there was none. */
    readonly forget: (server: string) => Effect.Effect<boolean, StorageError>
  }
>() {}

const Logins = Schema.parseJson(Schema.Array(StoredLogin))
const MAX_FILE_BYTES = 4 * 1024 * 1024

export const layerFile = (file: string) => {
  const read: Effect.Effect<ReadonlyArray<StoredLogin>, StorageError> = Effect.suspend(() => {
    const content = readRegularFile(file, MAX_FILE_BYTES)
    if (content.kind === "missing") return Effect.succeed([])
    const text = content.kind === "text" ? content.text : ""
    return Effect.mapError(
      Schema.decodeUnknown(Logins)(text),
      () => new StorageError({ path: file, kind: "read", detail: "it does not hold a list of logins" })
    )
  })
  const change = <A>(next: (logins: ReadonlyArray<StoredLogin>) => readonly [ReadonlyArray<StoredLogin>, A]) =>
    Effect.zipRight(
      makeFolder(file),
      withLock(
        file,
        Effect.gen(function* () {
          const [logins, result] = next(yield* read)
          yield* writeFileAtomic({ file, content: `${JSON.stringify(logins, null, 2)}\n`, mode: 0o600 }).pipe(
            Effect.mapError(({ code }) => new StorageError({ path: file, kind: "write", detail: code }))
          )
          return result
        })
      )
    )
  return Layer.succeed(LoginStore, {
    find: (server) =>
      Effect.map(read, (logins) => Option.fromNullable(logins.find(({ serverName }) => serverName === server))),
    keep: (login) => change((logins) => [[...without(logins, login.serverName), login], undefined]),
    forget: (server) =>
      change((logins) => {
        const rest = without(logins, server)
        return [rest, rest.length < logins.length]
      })
  })
}

const without = (logins: ReadonlyArray<StoredLogin>, server: string) =>
  logins.filter(({ serverName }) => serverName !== server)

const makeFolder = (file: string) =>
  Effect.try({
    try: () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
    catch: (cause) => new StorageError({ path: dirname(file), kind: "write", detail: String(cause) })
  })

/** The name is shared with other versions of the program. */
const SERVICE = "gemini-cli-oauth"

export const layerKeyStore = (options: SecretStoreOptions) => {
  const stored = <A>(work: Effect.Effect<A, AuthError>): Effect.Effect<A, StorageError> =>
    Effect.mapError(work, ({ detail }) => new StorageError({ path: "the key store", kind: "read", detail }))
  const find = (server: string) => stored(findSecret(nameOf(server), loginIn, options))
  return Layer.succeed(LoginStore, {
    find,
    keep: (login) => Effect.asVoid(stored(keepSecret(nameOf(login.serverName), JSON.stringify(login), options))),
    forget: (server) =>
      Effect.flatMap(find(server), (login) =>
        Effect.as(stored(forgetSecret(nameOf(server), options)), Option.isSome(login))
      )
  })
}

const loginIn = Schema.decodeUnknownOption(Schema.parseJson(StoredLogin))

const nameOf = (server: string) => ({ service: SERVICE, account: server.replaceAll(/[^A-Za-z0-9\-_.]/g, "_") })
