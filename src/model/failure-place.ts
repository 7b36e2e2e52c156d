/** Completes the failure of a request with what only the client knows: the address, and the key that must not show. */
import { redactSecrets, type Secret } from "../kernel/redact-secrets.ts"
import type { AuthType } from "../protocol/modes.ts"
import { ModelError, type ModelErrorKind } from "../retry/model-error.ts"

/** Where the address is part of the answer to "what went wrong?". */
const PLACED: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  "network",
  "unreachable",
  "timeout",
  "bad-response"
])

export const placeFailure =
  (place: { readonly baseUrl: string; readonly authType: AuthType; readonly secrets: ReadonlyArray<Secret> }) =>
  (error: ModelError): ModelError => {
    const host = URL.parse(place.baseUrl)?.host ?? place.baseUrl
    const detail = PLACED.has(error.kind) ? `${error.detail}: ${host}` : error.detail
    return new ModelError({ ...error, detail: redactSecrets(detail, place.secrets), authType: place.authType })
  }
