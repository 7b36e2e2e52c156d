/**
 * A failed model request in the words of the user interface: one line that says what happened, one that says what to
 * do about it. What can be done depends on how the user signed in.
 */
import { Duration } from "effect"
import type { FailureCode } from "../protocol/failure-help.ts"
import type { AuthType } from "../protocol/modes.ts"
import type { ModelError, ModelErrorKind } from "./model-error.ts"

export interface ModelErrorText {
  readonly message: string
  readonly hint: string | undefined
  readonly help: FailureCode
  /** `quota`: waiting or another account helps. `auth`: the credentials were refused. `api`: everything else of the service. */
  readonly completionReason: "quota" | "auth" | "budget" | "api"
}

export const describeModelError = (error: ModelError): ModelErrorText => ({
  // Nothing was sent, and the service has no error.
  message: NOTHING_SENT.has(error.kind) ? error.detail : `[API Error: ${error.detail}${statusSuffix(error)}]`,
  hint: hintFor(error, error.authType),
  help: isFileOfBudget(error) ? "bad-budget" : HELP[error.kind],
  completionReason: completionReasonOf(error)
})

const isFileOfBudget = ({ kind, reason }: ModelError): boolean => kind === "budget" && reason === "FILE"

const HELP: Readonly<Record<ModelErrorKind, FailureCode>> = {
  auth: "auth-refused",
  "not-found": "no-model",
  "bad-request": "bad-request",
  quota: "quota",
  capacity: "capacity",
  "rate-limited": "rate-limited",
  unavailable: "unavailable",
  network: "network",
  unreachable: "unreachable",
  timeout: "timeout",
  silent: "timeout",
  "bad-response": "not-gemini",
  budget: "over-budget",
  replay: "replay-mismatch",
  miss: "cassette-miss"
}

const NOTHING_SENT: ReadonlySet<ModelError["kind"]> = new Set<ModelError["kind"]>(["budget", "miss"])

export const completionReasonOf = ({ kind }: ModelError): ModelErrorText["completionReason"] => {
  if (kind === "auth" || kind === "budget") return kind
  return kind === "quota" || kind === "rate-limited" ? "quota" : "api"
}

const statusSuffix = ({ status, statusName }: ModelError): string => {
  const name = statusName ?? status
  return name === undefined ? "" : ` (Status: ${name})`
}

const hintFor = (error: ModelError, authType: AuthType | undefined): string | undefined => {
  switch (error.kind) {
    case "auth":
      return authHint(error, authType)
    case "not-found":
      return notFoundHint(error, authType)
    case "quota":
    case "rate-limited":
      return [resetText(error), quotaHint(authType)].filter((text) => text !== undefined).join(" ")
    case "capacity":
      return `The service has too much demand for ${error.model ?? "this model"}: try again later, or another model with --model.`
    case "unavailable":
      return "The service is not available for now: try again in a few minutes."
    case "network":
      return "Check the network connection, and HTTPS_PROXY / NO_PROXY if a proxy is needed."
    case "unreachable":
      return error.errorType === "ERR_PROXY_TUNNEL" || error.status === 407
        ? "Check HTTPS_PROXY (and the credentials in it); NO_PROXY names hosts that need no proxy."
        : "If your network inspects TLS, name its certificate file in NODE_EXTRA_CA_CERTS."
    case "timeout":
    case "silent":
      return "The server accepted the request but kept silent: try again, or check the proxy in between."
    case "bad-response":
      return "Check GOOGLE_GEMINI_BASE_URL / GOOGLE_VERTEX_BASE_URL and the proxy: something other than the API answered."
    case "budget":
      if (isFileOfBudget(error)) return "Make room, correct its permissions, or name another file in GEMINI_BUDGET."
      return "gemini budget show tells what was used; gemini budget reset begins anew."
    case "bad-request":
    case "replay":
    case "miss":
      return undefined
  }
}

const authHint = (error: ModelError, authType: AuthType | undefined): string => {
  if (error.reason === "TOS_VIOLATION") return withLink("The account is suspended.", "Appeal", error.link)
  if (error.reason === "VALIDATION_REQUIRED")
    return withLink("The account must be verified first.", "Verify", error.link)
  switch (authType) {
    case "vertex-ai":
      return "Check GOOGLE_API_KEY, or the credentials (gcloud auth application-default login) and their access to the project."
    case "gateway":
      return "Check GEMINI_API_KEY and what the gateway expects (GEMINI_API_KEY_AUTH_MECHANISM, GEMINI_CLI_CUSTOM_HEADERS)."
    case "oauth-personal":
      return "Sign in again: gemini auth login."
    case "compute-default-credentials":
      return "Check that the service account of this machine may use the project, or sign in: gemini auth login."
    default:
      return "Check GEMINI_API_KEY; keys are made at https://aistudio.google.com/apikey."
  }
}

const withLink = (text: string, verb: string, link: string | undefined): string =>
  link === undefined ? text : `${text} ${verb} at ${link}`

const notFoundHint = (error: ModelError, authType: AuthType | undefined): string => {
  const model = error.model === undefined ? "the model" : `"${error.model}"`
  return authType === "vertex-ai"
    ? `Is ${model} offered in the region of GOOGLE_CLOUD_LOCATION? See https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations`
    : `Is the name of ${model} right, and has your account access to it? Choose another with --model.`
}

/** When it is worth another try; `undefined` where the service has not said. */
export const resetText = ({ resetsAt, retryAfter }: ModelError): string | undefined => {
  if (resetsAt !== undefined) return `It comes back at ${resetsAt}.`
  return retryAfter === undefined ? undefined : `The service asks to wait ${Duration.format(retryAfter)}.`
}

const OTHER_WAYS = "Wait (--on-quota wait), let another model answer (--on-quota fallback)"

const quotaHint = (authType: AuthType | undefined): string => {
  switch (authType) {
    case "gemini-api-key":
      return `${OTHER_WAYS}, ask for a higher quota in AI Studio (https://aistudio.google.com), or use other credentials.`
    case "vertex-ai":
      return `${OTHER_WAYS}, ask for a higher quota in the Vertex AI console, or use other credentials.`
    default:
      return `${OTHER_WAYS}, or use other credentials.`
  }
}
