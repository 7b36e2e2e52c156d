/**
 * The encrypted file in which secrets are kept where the system has no key store. The format is shared with other
 * versions of the program: `iv:tag:cipher` in hex, AES-256-GCM, a key derived from the machine and the user. It keeps
 * secrets out of backups and searches; it does not protect them from other programs of the same user.
 */
import { createDecipheriv, scrypt } from "node:crypto"
import { Effect, Option, Schema } from "effect"
import { readRegularFile } from "../kernel/regular-file.ts"
import { AuthError } from "./auth-plan.ts"

export interface MachineIdentity {
  readonly hostname: string
  readonly user: string
}

const MAX_FILE_BYTES = 4 * 1024 * 1024
const PASSWORD = "gemini-cli-oauth"
const KEY_BYTES = 32

/** Secrets by service and account. */
const Secrets = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: Schema.String }) })
)

/** `None`: the file does not exist, or does not hold this secret. */
export const readSecret = Effect.fn("Auth.readSecret")(function* (
  file: string,
  secret: { readonly service: string; readonly account: string },
  identity: MachineIdentity
): Effect.fn.Return<Option.Option<string>, AuthError> {
  const content = readRegularFile(file, MAX_FILE_BYTES)
  if (content.kind === "missing") return Option.none()
  if (content.kind === "refused") return yield* unusable(file, content.reason)
  const plain = yield* decrypt(content.text.trim(), identity).pipe(
    Effect.mapError(() =>
      unusable(file, "cannot be decrypted: it was written on another machine or by another user, or is damaged")
    )
  )
  const secrets = yield* Effect.mapError(Schema.decodeUnknown(Secrets)(plain), () => unusable(file, "is damaged"))
  const accounts = Object.hasOwn(secrets, secret.service) ? secrets[secret.service] : undefined
  return accounts !== undefined && Object.hasOwn(accounts, secret.account)
    ? Option.fromNullable(accounts[secret.account])
    : Option.none()
})

const unusable = (file: string, reason: string) =>
  new AuthError({
    reason: "key-store",
    detail: `the stored credentials cannot be read: ${file} ${reason}`,
    hint: `Delete or rename ${file}, and sign in again; or set GEMINI_API_KEY.`
  })

const decrypt = Effect.fnUntraced(function* (text: string, { hostname, user }: MachineIdentity) {
  const key = yield* Effect.async<Buffer, Error>((resume) =>
    scrypt(PASSWORD, `${hostname}-${user}-gemini-cli`, KEY_BYTES, (error, derived) =>
      resume(error ? Effect.fail(error) : Effect.succeed(derived))
    )
  )
  return yield* Effect.try(() => {
    const [iv = "", tag = "", cipher = ""] = text.split(":")
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "hex"), { authTagLength: 16 })
    decipher.setAuthTag(Buffer.from(tag, "hex"))
    return Buffer.concat([decipher.update(Buffer.from(cipher, "hex")), decipher.final()]).toString("utf8")
  })
})
