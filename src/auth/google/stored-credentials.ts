/**
 * The sign-in with Google between runs: `~/.gemini/oauth_creds.json`, which other versions of the program share, or the
 * store of secrets where the user asks for that (`GEMINI_FORCE_ENCRYPTED_FILE_STORAGE=true`); the plain file then moves.
 */
import { accessSync, constants, mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { Clock, Effect, Either, Option, Schema } from "effect"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { withLock } from "../../system/lock.ts"
import { lstatOrNone, readRegularFile } from "../../system/regular-file.ts"
import { AuthError } from "../auth-plan.ts"
import { type Credentials, describePlace } from "../credentials.ts"
import type { SecretName } from "../credentials-file.ts"

const text = Schema.optionalWith(Schema.String, { nullable: true })
const moment = Schema.optionalWith(Schema.Number, { nullable: true })

export const GoogleCredentials = Schema.Struct({
  /** Set: no sign-in, but credentials of another kind, such as a service account's key. They stay as they are. */
  type: text,
  access_token: text,
  refresh_token: text,
  scope: text,
  token_type: text,
  id_token: text,
  /** Milliseconds since 1970; absent: not known. */
  expiry_date: moment
})
export type GoogleCredentials = typeof GoogleCredentials.Type

export interface CredentialStore {
  /** How the place is called. */
  readonly place: string
  /** The plain one, where it is or would be. */
  readonly file: string
  /** The same, looked up. */
  readonly foundIn: Effect.Effect<string, AuthError>
  readonly read: Effect.Effect<Option.Option<GoogleCredentials>, AuthError>
  readonly write: (credentials: GoogleCredentials) => Effect.Effect<void, AuthError>
  /** False: there was nothing to forget. */
  readonly forget: Effect.Effect<boolean, AuthError>
  /** One process at a time: others wait, and find what this one wrote. `kept` unless `forgotten` is what it is about. */
  readonly alone: <A>(work: Effect.Effect<A, AuthError>, aim?: Aim) => Effect.Effect<A, AuthError>
}

type Aim = "kept" | "forgotten"

export interface StoreOptions {
  readonly credentials: Credentials["Type"]
  readonly file: string
  readonly isEncrypted: boolean
}

export const credentialStore = (options: StoreOptions): CredentialStore =>
  options.isEncrypted ? secretStore(options) : plainStore(options.file)

const MAX_FILE_BYTES = 1024 * 1024
const InFile = Schema.parseJson(GoogleCredentials)

const plainStore = (file: string): CredentialStore => ({
  place: file,
  file,
  foundIn: Effect.succeed(file),
  read: Effect.suspend(() => readPlain(file)),
  write: (credentials) =>
    Effect.zipRight(
      ownFolder(file),
      writeFileAtomic({ file, content: `${JSON.stringify(credentials, null, 2)}\n`, mode: 0o600 }).pipe(
        Effect.mapError(({ code }) => unwritable(file, code)),
        Effect.asVoid
      )
    ),
  forget: Effect.try({
    try: () => {
      const isThere = readRegularFile(file, MAX_FILE_BYTES).kind !== "missing"
      rmSync(file, { force: true })
      return isThere
    },
    catch: (cause) => unwritable(file, codeOf(cause), "forgotten")
  }),
  alone: (work, aim) => withOwnLock(file, work, aim)
})

const withOwnLock = <A>(file: string, work: Effect.Effect<A, AuthError>, aim: Aim = "kept") => {
  // Where there is no file and none can be made, nobody else can keep a sign-in meanwhile.
  if (aim === "forgotten" && lstatOrNone(file) === undefined && !canBeMade(file)) return work
  return Effect.zipRight(
    ownFolder(file),
    Effect.catchTag(withLock(file, work), "StorageError", (error) => unwritable(file, error.detail, aim))
  )
}

const canBeMade = (file: string): boolean => Either.isRight(Either.try(() => accessSync(dirname(file), constants.W_OK)))

const readPlain = (file: string): Effect.Effect<Option.Option<GoogleCredentials>, AuthError> => {
  const content = readRegularFile(file, MAX_FILE_BYTES)
  if (content.kind === "missing") return Effect.succeed(Option.none())
  if (content.kind === "refused") return unreadable(file, content.reason)
  return Effect.mapBoth(Schema.decodeUnknown(InFile)(content.text), {
    onSuccess: Option.some,
    onFailure: () => unreadable(file, "it is damaged, or something else than a sign-in")
  })
}

/** Names and shape are shared with other versions of the program. */
export const LOGIN: SecretName = { service: "gemini-cli-oauth", account: "main-account" }

const InStore = Schema.parseJson(
  Schema.Struct({
    token: Schema.Struct({
      accessToken: text,
      refreshToken: text,
      tokenType: text,
      scope: text,
      expiresAt: moment
    })
  })
)

const secretStore = ({ credentials: kept, file }: StoreOptions): CredentialStore => {
  const plain = plainStore(file)
  const write = Effect.fnUntraced(function* (credentials: GoogleCredentials) {
    const { access_token, expiry_date, refresh_token, scope, token_type } = credentials
    const token = {
      accessToken: access_token,
      refreshToken: refresh_token,
      tokenType: token_type,
      scope,
      expiresAt: expiry_date
    }
    const updatedAt = yield* Clock.currentTimeMillis
    yield* kept.keep(LOGIN, JSON.stringify({ serverName: LOGIN.account, token, updatedAt }))
    yield* plain.forget
  })
  return {
    place: "the store of secrets",
    file,
    foundIn: Effect.map(
      kept.placeOf(LOGIN),
      Option.match({ onNone: () => "the store of secrets", onSome: describePlace })
    ),
    read: Effect.gen(function* () {
      const stored = yield* kept.find(LOGIN, fromStore)
      if (Option.isSome(stored)) return stored
      const inFile = yield* plain.read
      if (Option.isSome(inFile) && inFile.value.type === undefined) yield* write(inFile.value)
      return inFile
    }),
    write,
    forget: Effect.gen(function* () {
      const stored = yield* Effect.option(kept.find(LOGIN, fromStore))
      yield* kept.forget(LOGIN)
      return (yield* plain.forget) || Option.isSome(Option.flatten(stored))
    }),
    alone: plain.alone
  }
}

const fromStore = (secret: string): Option.Option<GoogleCredentials> =>
  Option.map(Schema.decodeUnknownOption(InStore)(secret), ({ token }) => ({
    access_token: token.accessToken,
    refresh_token: token.refreshToken,
    token_type: token.tokenType,
    scope: token.scope,
    expiry_date: token.expiresAt
  }))

const ownFolder = (file: string) =>
  Effect.try({
    try: () => void mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
    catch: (cause) => unwritable(file, codeOf(cause))
  })

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)

const unwritable = (file: string, why: string, aim: Aim = "kept") =>
  new AuthError({
    reason: "key-store",
    detail: `the sign-in cannot be ${aim}: ${file} cannot be ${aim === "kept" ? "written" : "removed"} (${why})`,
    hint: "Check the folder, its permissions and the space on the disk."
  })

const unreadable = (file: string, why: string) =>
  new AuthError({
    reason: "sign-in-needed",
    detail: `the sign-in in ${file} cannot be read: ${why}`,
    hint: "Sign in again: gemini auth login."
  })
