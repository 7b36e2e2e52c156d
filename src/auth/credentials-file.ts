/**
 * The encrypted file in which secrets are kept where the system has no key store. The format is shared with other
 * versions of the program: `iv:tag:cipher` in hex, AES-256-GCM, a key derived from the machine and the user. It keeps
 * secrets out of backups and searches; it does not protect them from other programs of the same user.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto"
import { mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Option, Schema } from "effect"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { withLock } from "../system/lock.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { AuthError } from "./auth-plan.ts"

export interface MachineIdentity {
  readonly hostname: string
  readonly user: string
}

export interface SecretName {
  readonly service: string
  readonly account: string
}

const MAX_FILE_BYTES = 4 * 1024 * 1024
const PASSWORD = "gemini-cli-oauth"
const CIPHER = "aes-256-gcm"
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** Secrets by service and account. */
const Secrets = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: Schema.String }) })
)

/** `None`: the file does not exist, or does not hold this secret. */
export const readSecret = Effect.fn("Auth.readSecret")(function* (
  file: string,
  { account, service }: SecretName,
  identity: MachineIdentity
): Effect.fn.Return<Option.Option<string>, AuthError> {
  return Option.fromNullable((yield* readSecrets(file, identity)).get(service)?.get(account))
})

/** Stores a secret, or removes it where the value is `undefined`. A file that is left empty is removed. */
export const changeSecret = Effect.fn("Auth.changeSecret")(function* (
  file: string,
  { account, service }: SecretName,
  value: string | undefined,
  identity: MachineIdentity
): Effect.fn.Return<void, AuthError> {
  const change = Effect.gen(function* () {
    const secrets = yield* readSecrets(file, identity)
    const accounts = secrets.get(service) ?? new Map<string, string>()
    if (value === undefined) accounts.delete(account)
    else accounts.set(account, value)
    if (accounts.size === 0) secrets.delete(service)
    else secrets.set(service, accounts)
    if (secrets.size === 0) return yield* Effect.sync(() => rmSync(file, { force: true }))
    const plain = JSON.stringify(
      Object.fromEntries([...secrets].map(([name, kept]) => [name, Object.fromEntries(kept)]))
    )
    yield* writeFileAtomic({ file, content: yield* encrypt(plain, identity), mode: 0o600 })
  })
  yield* ownFolder(file)
  yield* withLock(file, change).pipe(
    Effect.catchTags({
      AtomicWriteError: ({ code }) => unwritable(file, code),
      StorageError: (error) => unwritable(file, error.message)
    })
  )
})

/** Secrets by service and account; none without a file. */
const readSecrets = Effect.fnUntraced(function* (file: string, identity: MachineIdentity) {
  const content = readRegularFile(file, MAX_FILE_BYTES)
  if (content.kind === "missing") return new Map<string, Map<string, string>>()
  if (content.kind === "refused") return yield* unusable(file, content.reason)
  const plain = yield* decrypt(content.text.trim(), identity).pipe(
    Effect.mapError(() =>
      unusable(file, "cannot be decrypted: it was written on another machine or by another user, or is damaged")
    )
  )
  const secrets = yield* Effect.mapError(Schema.decodeUnknown(Secrets)(plain), () => unusable(file, "is damaged"))
  return new Map(Object.entries(secrets).map(([service, accounts]) => [service, new Map(Object.entries(accounts))]))
})

/** The lock beside the file needs the folder, which is for the user alone. */
const ownFolder = (file: string) =>
  Effect.try({
    try: () => void mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
    catch: (cause) => unwritable(file, String(cause))
  })

const unwritable = (file: string, reason: string) =>
  new AuthError({
    reason: "key-store",
    detail: `the key cannot be stored: ${file} cannot be written (${reason})`,
    hint: "Set GEMINI_API_KEY instead."
  })

const unusable = (file: string, reason: string) =>
  new AuthError({
    reason: "key-store",
    detail: `the stored credentials cannot be read: ${file} ${reason}`,
    hint: `Delete or rename ${file}, and sign in again; or set GEMINI_API_KEY.`
  })

const keyOf = ({ hostname, user }: MachineIdentity) =>
  Effect.async<Buffer, Error>((resume) =>
    scrypt(PASSWORD, `${hostname}-${user}-gemini-cli`, KEY_BYTES, (error, derived) =>
      resume(error ? Effect.fail(error) : Effect.succeed(derived))
    )
  )

const encrypt = Effect.fnUntraced(function* (plain: string, identity: MachineIdentity) {
  // Deriving a key from constants and two names does not fail.
  const key = yield* Effect.orDie(keyOf(identity))
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()])
  return [iv, cipher.getAuthTag(), body].map((bytes) => bytes.toString("hex")).join(":")
})

const decrypt = Effect.fnUntraced(function* (text: string, identity: MachineIdentity) {
  const key = yield* keyOf(identity)
  return yield* Effect.try(() => {
    const [iv = "", tag = "", cipher = ""] = text.split(":")
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(iv, "hex"), { authTagLength: TAG_BYTES })
    decipher.setAuthTag(Buffer.from(tag, "hex"))
    return Buffer.concat([decipher.update(Buffer.from(cipher, "hex")), decipher.final()]).toString("utf8")
  })
})
