/**
 * Failures below HTTP: which of them are worth another attempt, and what to call them. The runtime reports most of
 * them under the names of Node, some under its own; a library may have wrapped them, so causes are looked into.
 */
import { Predicate } from "effect"

const MAX_CAUSES = 5

/** Names of Bun, as the codes that scripts and dashboards know. */
const RUNTIME_NAMES: ReadonlyMap<string, string> = new Map([
  ["ConnectionRefused", "ECONNREFUSED"],
  ["ConnectionClosed", "ECONNRESET"],
  ["ConnectionReset", "ECONNRESET"],
  ["FailedToOpenSocket", "ENOTFOUND"],
  ["Timeout", "ETIMEDOUT"],
  ["TimeoutError", "ETIMEDOUT"]
])

const TRANSIENT = new Set([
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "EPROTO",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
  "ERR_STREAM_PREMATURE_CLOSE"
])

/** Nobody was there to talk to: the name is not found, nobody listens, no way leads there. */
const NEVER_CONNECTED = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "EPROTO",
  "UND_ERR_CONNECT_TIMEOUT"
])

export const neverConnected = (code: string): boolean => NEVER_CONNECTED.has(code)

const isTransient = (code: string): boolean => TRANSIENT.has(code) || /^ERR_SSL_.*BAD_RECORD_MAC/i.test(code)

const isCertificate = (code: string): boolean =>
  /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|HOSTNAME_MISMATCH/.test(code)

export type NetworkFailure =
  /** Gone, refused, not found, timed out: the next attempt may work. */
  | { readonly kind: "transient"; readonly code: string }
  | { readonly kind: "certificate"; readonly code: string }
  | { readonly kind: "proxy"; readonly code: string }
  /** No code that we know. `code` is one that we do not. */
  | { readonly kind: "unknown"; readonly code: string | undefined }

/** Looks at the error and up to five causes below it; the first code that we know decides. */
export const networkFailureOf = (error: unknown): NetworkFailure => {
  let unknownCode: string | undefined
  let current = error
  for (let level = 0; level <= MAX_CAUSES && Predicate.isObject(current); level++) {
    const { code, name } = labelsOf(current)
    for (const label of [code, name]) {
      const known = label === undefined ? undefined : kindOf(RUNTIME_NAMES.get(label) ?? label)
      if (known !== undefined) return known
    }
    unknownCode ??= code
    current = Predicate.hasProperty(current, "cause") ? current.cause : undefined
  }
  return { kind: "unknown", code: unknownCode }
}

const kindOf = (code: string): NetworkFailure | undefined => {
  if (isTransient(code)) return { kind: "transient", code }
  if (isCertificate(code)) return { kind: "certificate", code }
  return code === "ERR_PROXY_TUNNEL" ? { kind: "proxy", code } : undefined
}

const labelsOf = (error: object) => ({
  code: Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : undefined,
  name: Predicate.hasProperty(error, "name") && typeof error.name === "string" ? error.name : undefined
})
