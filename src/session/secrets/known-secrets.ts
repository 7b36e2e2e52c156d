/**
 * The credentials that this process knows, by value: what its variables and the user's credential files hold. Whatever
 * is written for later (sessions, logs, exports) is cleaned of them. Names alone say little, and a path or a plain word
 * in a variable with such a name is no secret: taking those out would only make texts unreadable.
 */
import { Option, Predicate } from "effect"
import type { Secret } from "../../kernel/redact-secrets.ts"
import { readRegularFile } from "../../kernel/regular-file.ts"
import { looksSecret } from "../../shell/environment-redaction.ts"

const CREDENTIAL_NAME =
  /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:^|_)(?:PAT|PWD|AUTH)$|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|ENCRYPTION_?KEY|SIGNING_?KEY|(?:^|_)KEY$/i

/** Credentials of this agent, whatever they look like. */
const OWN: ReadonlySet<string> = new Set(["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_ACCESS_TOKEN"])

export const environmentSecrets = (variables: Readonly<Record<string, string>>): ReadonlyArray<Secret> =>
  Object.entries(variables).flatMap(([name, value]) => (isCredential(name, value) ? [{ name, value }] : []))

const isCredential = (name: string, value: string): boolean =>
  OWN.has(name) || looksSecret(value) || (CREDENTIAL_NAME.test(name) && !isPlace(value) && !isPlainWord(value))

const isPlace = (value: string): boolean =>
  /^(?:[~.]{0,2}\/|[A-Za-z]:[\\/])/.test(value) ||
  /^[\w./\\-]+\.(?:json|pem|key|crt|txt|ya?ml|sock)$/i.test(value) ||
  URL.canParse(value)

const isPlainWord = (value: string): boolean => /^[a-z][a-z_-]*$/i.test(value) && value.length < 16

/** Fields of credential files whose values are secrets. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  "access_token",
  "refresh_token",
  "id_token",
  "private_key",
  "client_secret",
  "accessToken",
  "refreshToken",
  "idToken",
  "clientSecret",
  "token",
  "api_key",
  "apiKey"
])

const MAX_FILE_BYTES = 1024 * 1024
const MAX_DEPTH = 8

/** Of files that hold tokens as they are; what is missing or of another form holds none. */
export const fileSecrets = (files: ReadonlyArray<string>): ReadonlyArray<Secret> =>
  files.flatMap((file) => {
    const content = readRegularFile(file, MAX_FILE_BYTES)
    if (content.kind !== "text") return []
    return Option.match(parse(content.text), { onNone: () => [], onSome: (json) => secretsIn(json, MAX_DEPTH) })
  })

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const secretsIn = (value: unknown, depth: number): ReadonlyArray<Secret> => {
  if (depth === 0 || !Predicate.isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "string" ? (SECRET_FIELDS.has(name) ? [{ name, value: inner }] : []) : secretsIn(inner, depth - 1)
  )
}
