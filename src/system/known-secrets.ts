/**
 * The credentials that this process knows, by value: what its variables and the user's credential files hold. Whatever
 * is written for later (sessions, logs, exports) is cleaned of them. Names alone say little, and a path or a plain word
 * in a variable with such a name is no secret: taking those out would only make texts unreadable.
 */
import { Option, Predicate } from "effect"
import type { Secret } from "../kernel/redact-secrets.ts"
import { CREDENTIAL_VARIABLES } from "./child-variables.ts"
import { looksSecret } from "./environment-redaction.ts"
import { readRegularFile } from "./regular-file.ts"

/** Plain words and no expression: this is asked about every variable at every start. */
const NAME_PARTS = [
  "TOKEN",
  "SECRET",
  "PASSWORD",
  "PASSWD",
  "PASSPHRASE",
  "CREDENTIAL",
  ...["API", "ACCESS", "PRIVATE", "ENCRYPTION", "SIGNING"].flatMap((kind) => [`${kind}_KEY`, `${kind}KEY`])
]
const LAST_WORDS = ["PAT", "PWD", "AUTH", "KEY"]

export const environmentSecrets = (variables: Readonly<Record<string, string>>): ReadonlyArray<Secret> =>
  Object.entries(variables).flatMap(([name, value]) => (isCredential(name, value) ? [{ name, value }] : []))

export const isCredential = (given: string, value: string): boolean => {
  const name = given.toUpperCase()
  // Our own are secret whatever they look like.
  if (CREDENTIAL_VARIABLES.has(name) || looksSecret(value)) return true
  return hasCredentialName(name) && !isPlace(value) && !isPlainWord(value)
}

const hasCredentialName = (name: string): boolean => {
  for (const part of NAME_PARTS) if (name.includes(part)) return true
  for (const word of LAST_WORDS) if (name.endsWith(word) && (name === word || name.endsWith(`_${word}`))) return true
  return false
}

const isPlace = (value: string): boolean =>
  value.startsWith("/") ||
  /^(?:[~.]{1,2}\/|[A-Za-z]:[\\/])/.test(value) ||
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
