/**
 * Logins to servers between runs: `~/.gemini/mcp-oauth-tokens.json`, shared with other versions of the program, or the
 * key store of the system where the user asks for it (`GEMINI_FORCE_ENCRYPTED_FILE_STORAGE=true`).
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { withLock } from "../../config/lock.ts"
import { StorageError } from "../../config/storage-error.ts"
import { writeFileAtomic } from "../../kernel/atomic-write.ts"
import { readRegularFile } from "../../kernel/regular-file.ts"
import { StoredLogin } from "./stored-login.ts"

export class LoginStore extends Context.Tag("agent/mcp/LoginStore")<
  LoginStore,
  {
    readonly find: (server: string) => Effect.Effect<Option.Option<StoredLogin>, StorageError>
    readonly keep: (login: StoredLogin) => Effect.Effect<void, StorageError>
    /** `false`: there was none. */
    readonly forget: (server: string) => Effect.Effect<boolean, StorageError>
    /** Names of the servers that a login is kept for; the key store cannot be listed and gives none. */
    readonly servers: Effect.Effect<ReadonlyArray<string>, StorageError>
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
      }),
    servers: Effect.map(read, (logins) => logins.map(({ serverName }) => serverName))
  })
}

const without = (logins: ReadonlyArray<StoredLogin>, server: string) =>
  logins.filter(({ serverName }) => serverName !== server)

const makeFolder = (file: string) =>
  Effect.try({
    try: () => mkdirSync(dirname(file), { recursive: true }),
    catch: (cause) => new StorageError({ path: dirname(file), kind: "write", detail: String(cause) })
  })

/** One secret of the system's key store, by its account. */
export interface SecretKeeper {
  readonly get: (account: string) => Effect.Effect<Option.Option<string>, StorageError>
  readonly set: (account: string, value: string) => Effect.Effect<void, StorageError>
  readonly delete: (account: string) => Effect.Effect<boolean, StorageError>
}

export const SECRET_SERVICE = "gemini-cli-oauth"

export const layerKeyStore = (keeper: SecretKeeper) =>
  Layer.succeed(LoginStore, {
    find: (server) =>
      Effect.map(
        keeper.get(accountOf(server)),
        Option.flatMap(Schema.decodeUnknownOption(Schema.parseJson(StoredLogin)))
      ),
    keep: (login) => keeper.set(accountOf(login.serverName), JSON.stringify(login)),
    forget: (server) => keeper.delete(accountOf(server)),
    servers: Effect.succeed([])
  })

const accountOf = (server: string): string => server.replaceAll(/[^A-Za-z0-9\-_.]/g, "_")
