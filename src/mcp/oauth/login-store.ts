/**
 * Logins to servers and remote agents between runs: among the other credentials. Other versions of the program keep them in
 * a plain file; it is read, and with the first login that is kept here its logins move.
 */
import { mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { AuthError } from "../../auth/auth-plan.ts"
import { Credentials, describePlace, type SecretPlace } from "../../auth/credentials.ts"
import { Secrets } from "../../config/secrets.ts"
import { optional } from "../../kernel/optional-field.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { withLock } from "../../system/lock.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { StorageError } from "../../system/storage-error.ts"

export class LoginStore extends Context.Tag("agent/mcp/LoginStore")<
  LoginStore,
  {
    readonly find: (server: string) => Effect.Effect<Option.Option<StoredLogin>, StorageError>
    readonly keep: (login: StoredLogin) => Effect.Effect<SecretPlace, StorageError>
    /** `false`: there was none. */
    readonly forget: (server: string) => Effect.Effect<boolean, StorageError>
  }
>() {}

export interface LoginPlaces {
  readonly plainFile: string
  /** Whose logins are among the credentials. For others nobody opens a key store, which may take seconds. */
  readonly namesFile: string
  /** The name that the credentials have them under. */
  readonly service: string
  /** Other versions may have put logins there as well. */
  readonly alwaysAsks: boolean
  readonly say: (line: string) => Effect.Effect<void>
}

export const layer = (places: LoginPlaces) => Layer.effect(LoginStore, make(places))

const make = Effect.fnUntraced(function* ({ alwaysAsks, namesFile, plainFile, say, service }: LoginPlaces) {
  const credentials = yield* Credentials
  const secrets = yield* Effect.serviceOption(Secrets)
  const learn = (login: StoredLogin) =>
    Option.match(secrets, { onNone: () => Effect.void, onSome: (known) => known.learn(secretsOf(login)) })

  const plain = Effect.suspend(() => readList(plainFile, Logins, "a list of logins"))
  const names = Effect.suspend(() => readList(namesFile, Names, "a list of names"))
  const nameOf = (server: string) => ({ service, account: accountOf(server) })

  const stored = Effect.fnUntraced(function* (server: string) {
    if (!alwaysAsks && !(yield* names).includes(server)) return Option.none<StoredLogin>()
    const found = yield* inStore(credentials.find(nameOf(server), loginIn))
    return Option.filter(found, ({ serverName }) => serverName === server)
  })

  const keepOne = Effect.fnUntraced(function* (login: StoredLogin) {
    const place = yield* inStore(credentials.keep(nameOf(login.serverName), JSON.stringify(login)))
    const known = yield* names
    if (!known.includes(login.serverName)) yield* writeList(namesFile, [...known, login.serverName])
    return place
  })

  const find = Effect.fnUntraced(function* (server: string) {
    const found = Option.fromNullable((yield* plain).find(({ serverName }) => serverName === server))
    const login = Option.isSome(found) ? found : yield* stored(server)
    if (Option.isSome(login)) yield* learn(login.value)
    return login
  })

  return LoginStore.of({
    find,
    keep: (login) =>
      locked(
        plainFile,
        Effect.gen(function* () {
          const others = without(yield* plain, login.serverName)
          yield* learn(login)
          const place = yield* keepOne(login)
          if (readRegularFile(plainFile, MAX_FILE_BYTES).kind === "missing") return place
          yield* Effect.forEach(others, keepOne)
          yield* removeFile(plainFile)
          yield* say(
            `Logins are kept in ${describePlace(place)} from now on; ${plainFile}, where they stood in plain text, is gone.`
          )
          return place
        })
      ),
    forget: (server) =>
      locked(
        plainFile,
        Effect.gen(function* () {
          const logins = yield* plain
          const rest = without(logins, server)
          if (rest.length < logins.length) yield* rest.length === 0 ? removeFile(plainFile) : writeList(plainFile, rest)
          const login = yield* stored(server)
          if (Option.isSome(login)) yield* inStore(credentials.forget(nameOf(server)))
          const known = yield* names
          if (known.includes(server))
            yield* writeList(
              namesFile,
              known.filter((name) => name !== server)
            )
          return rest.length < logins.length || Option.isSome(login)
        })
      )
  })
})

/** A login as it is kept between runs. The shape is shared with other versions of the program. */
export const StoredLogin = Schema.Struct({
  serverName: Schema.String,
  token: Schema.Struct({
    accessToken: Schema.String,
    refreshToken: optional(Schema.String),
    /** Milliseconds since 1970; absent: it does not expire. */
    expiresAt: optional(Schema.Number),
    tokenType: Schema.String,
    scope: optional(Schema.String)
  }),
  clientId: optional(Schema.String),
  /** Of a client that was registered for this login: without it, a confidential client could not refresh. */
  clientSecret: optional(Schema.String),
  tokenUrl: optional(Schema.String),
  mcpServerUrl: optional(Schema.String),
  updatedAt: Schema.Number
})

export type StoredLogin = typeof StoredLogin.Type

/** A token that is about to expire would expire on its way. */
const EARLY_MS = 5 * 60_000

export const isFresh = ({ token }: StoredLogin, now: number): boolean =>
  token.expiresAt === undefined || now < token.expiresAt - EARLY_MS

const Logins = Schema.parseJson(Schema.Array(StoredLogin))
const Names = Schema.parseJson(Schema.Array(Schema.String))
const MAX_FILE_BYTES = 4 * 1024 * 1024

const readList = <A, I>(
  file: string,
  list: Schema.Schema<ReadonlyArray<A>, I>,
  what: string
): Effect.Effect<ReadonlyArray<A>, StorageError> => {
  const content = readRegularFile(file, MAX_FILE_BYTES)
  if (content.kind === "missing") return Effect.succeed([])
  return Effect.mapError(
    Schema.decodeUnknown(list)(content.kind === "text" ? content.text : ""),
    () => new StorageError({ path: file, kind: "read", detail: `it does not hold ${what}` })
  )
}

const writeList = (file: string, list: ReadonlyArray<unknown>) =>
  writeFileAtomic({ file, content: `${JSON.stringify(list, null, 2)}\n`, mode: 0o600 }).pipe(
    Effect.mapError(({ code }) => new StorageError({ path: file, kind: "write", detail: code })),
    Effect.asVoid
  )

const removeFile = (file: string) =>
  Effect.try({
    try: () => rmSync(file, { force: true }),
    catch: (cause) => new StorageError({ path: file, kind: "write", detail: String(cause) })
  })

const locked = <A>(file: string, work: Effect.Effect<A, StorageError>) =>
  Effect.zipRight(
    Effect.try({
      try: () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
      catch: (cause) => new StorageError({ path: dirname(file), kind: "write", detail: String(cause) })
    }),
    withLock(file, work)
  )

const inStore = <A>(work: Effect.Effect<A, AuthError>): Effect.Effect<A, StorageError> =>
  Effect.mapError(work, ({ detail }) => new StorageError({ path: "the store of credentials", kind: "read", detail }))

const without = (logins: ReadonlyArray<StoredLogin>, server: string) =>
  logins.filter(({ serverName }) => serverName !== server)

const loginIn = Schema.decodeUnknownOption(Schema.parseJson(StoredLogin))

/** Under this account the sign-in with Google is kept: no server may have a name that leads there. */
const OWN_ACCOUNT = "main-account"

/** As other versions name it. */
const accountOf = (server: string): string => {
  const account = server.replaceAll(/[^A-Za-z0-9\-_.]/g, "_")
  return account === OWN_ACCOUNT ? `server_${account}` : account
}

const secretsOf = ({ clientSecret, token }: StoredLogin) =>
  [
    { name: "LOGIN_TOKEN", value: token.accessToken },
    { name: "LOGIN_REFRESH_TOKEN", value: token.refreshToken },
    { name: "LOGIN_CLIENT_SECRET", value: clientSecret }
  ].flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]))
