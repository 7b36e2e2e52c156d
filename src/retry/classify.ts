/**
 * From what a server or the network did to a `ModelError`: the one place where statuses, error bodies and codes are
 * interpreted. `refusal-rules.ts` holds the order in which the facts of a refusal decide.
 */
import { type DateTime, Option, Predicate } from "effect"
import { errorInfoOf, type GoogleError, helpLinksOf, parseGoogleError } from "./google-error.ts"
import { ModelError, type ModelErrorKind } from "./model-error.ts"
import { networkFailureOf, neverConnected } from "./network-error.ts"
import { decide, factsOf } from "./refusal-rules.ts"

export interface FailureContext {
  readonly model?: string | undefined
  readonly phase: ModelError["phase"]
  /** The host that is connected to instead of the server's. */
  readonly proxy?: string | undefined
}

export interface Refusal extends FailureContext {
  readonly status: number
  readonly body: string
  /** The header, unread. */
  readonly retryAfter?: string | undefined
  readonly now: DateTime.Utc
}

/** An answer with a status that is not 2xx, or an error object in the body of one that is. */
export const classifyRefusal = (refusal: Refusal): ModelError => {
  const google = parseGoogleError(refusal.body)
  const message = Option.match(google, {
    onNone: () => `the server sent ${summaryOf(refusal.body)}`,
    onSome: (error) => oneLine([error.message, ...violationsOf(error)].join(" "))
  })
  const facts = factsOf({ ...refusal, google, message })
  const verdict = decide(facts)
  const link = linkOf(google)
  const statusName = Option.getOrUndefined(google)?.status
  return new ModelError({
    kind: verdict.kind,
    detail: verdict.detail ?? message,
    ...contextOf(refusal),
    status: refusal.status,
    ...(statusName === undefined ? {} : { statusName }),
    ...(verdict.retryAfter === undefined ? {} : { retryAfter: verdict.retryAfter }),
    ...(verdict.isTooLong === undefined ? {} : { isTooLong: verdict.isTooLong }),
    ...(verdict.resetsAt === undefined ? {} : { resetsAt: verdict.resetsAt }),
    ...(facts.reason === undefined ? {} : { reason: facts.reason }),
    ...(link === undefined ? {} : { link }),
    errorType: labelOfStatus(refusal.status)
  })
}

const MAX_VIOLATIONS = 3

/** Which fields of a request were refused, and why: the message alone often says only that something was. */
const violationsOf = ({ details }: GoogleError): ReadonlyArray<string> =>
  details
    .flatMap((detail) => (Array.isArray(detail.fieldViolations) ? detail.fieldViolations : []))
    .filter(Predicate.isRecord)
    .map(({ description, field }) => [field, description].filter(Predicate.isString).join(": "))
    .filter((text) => text !== "")
    .slice(0, MAX_VIOLATIONS)

/** The connection failed, before or while the answer came. */
export const classifyFailure = (cause: unknown, context: FailureContext): ModelError => {
  const failure = networkFailureOf(cause)
  const message = Predicate.isError(cause) ? oneLine(cause.message) : "the connection failed"
  const fail = (kind: ModelErrorKind, detail: string, errorType: string) =>
    new ModelError({ kind, detail, errorType, cause, ...contextOf(context) })
  switch (failure.kind) {
    case "transient":
      return fail("network", `${networkText(failure.code, context)} (${failure.code})`, failure.code)
    case "certificate":
      return fail("unreachable", `the server's certificate is not trusted: ${message}`, failure.code)
    case "proxy":
      return fail("unreachable", oneLine(message), failure.code)
    case "unknown":
      return fail("network", message, failure.code ?? "FETCH_FAILED")
  }
}

/** Who could not be connected to is named where it is not the server. */
const networkText = (code: string, { proxy }: FailureContext): string => {
  const peer = proxy === undefined || !neverConnected(code) ? "the server" : `the proxy ${proxy}`
  return NETWORK_TEXT[code]?.(peer) ?? "the connection failed"
}

const NETWORK_TEXT: Readonly<Record<string, (peer: string) => string>> = {
  ECONNREFUSED: (peer) => `${peer} refused the connection`,
  ECONNRESET: () => "the connection was closed before the answer was complete",
  ENOTFOUND: (peer) => `the name of ${peer} could not be resolved`,
  EAI_AGAIN: (peer) => `the name of ${peer} could not be resolved for now`,
  ETIMEDOUT: () => "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: (peer) => `no connection to ${peer} could be made`,
  EPROTO: (peer) => `the TLS handshake with ${peer} failed: does it speak https on this port?`,
  EHOSTUNREACH: (peer) => `${peer} cannot be reached from here`,
  ENETUNREACH: (peer) => `there is no network route to ${peer}`
}

/** The body ended in the middle of a chunk. */
export const incompleteAnswer = (context: FailureContext): ModelError =>
  new ModelError({
    kind: "network",
    detail: "the answer broke off in the middle of a chunk",
    errorType: "INCOMPLETE_JSON",
    ...contextOf(context)
  })

/** Text that is not a Gemini answer, under a status that promised one. */
export const badResponse = (body: string, context: FailureContext): ModelError =>
  new ModelError({
    kind: "bad-response",
    detail: `the server did not send a Gemini answer but ${summaryOf(body)}`,
    errorType: "BAD_RESPONSE",
    ...contextOf(context)
  })

const contextOf = ({ model, phase }: FailureContext) => (model === undefined ? { phase } : { phase, model })

const linkOf = (google: Option.Option<GoogleError>): string | undefined => {
  const metadata = Option.getOrUndefined(Option.flatMap(google, errorInfoOf))?.metadata ?? {}
  const links = Option.match(google, { onNone: () => [], onSome: helpLinksOf })
  const own = links.find(({ description, url }) => url !== undefined && !isLearnMore(url, description))
  return metadata.appeal_url ?? own?.url ?? metadata.validation_link ?? links[0]?.url
}

const isLearnMore = (url: string, description: string | undefined): boolean =>
  /learn more/i.test(description ?? "") || /^https?:\/\/support\.google\.com(?:\/|$)/i.test(url)

const labelOfStatus = (status: number): string =>
  status === 429 ? "QUOTA_EXCEEDED" : status >= 500 ? "SERVER_ERROR" : `HTTP_${status}`

const MAX_DETAIL_LENGTH = 600

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > MAX_DETAIL_LENGTH ? `${line.slice(0, MAX_DETAIL_LENGTH)}…` : line
}

/** What stands in a body that is not JSON, in one line. */
const summaryOf = (body: string): string => {
  const trimmed = body.trim()
  if (trimmed === "") return "an empty body"
  if (!trimmed.startsWith("<")) return `this text: ${oneLine(trimmed.slice(0, 200))}`
  const [, title] = /<(?:title|h1)[^>]*>([^<]*)</i.exec(trimmed) ?? []
  const name = oneLine(title ?? "")
  return name === "" ? "an HTML page" : `an HTML page titled "${name}"`
}
