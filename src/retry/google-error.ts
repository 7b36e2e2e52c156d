/**
 * Error bodies of Google's APIs, read leniently: they arrive as JSON, as a list with one element, as JSON inside the
 * `message` of another error (several levels deep behind gateways), with text around them or with repeated commas.
 * What cannot be read as an error with a code and a message is not a Google error.
 */
import { Duration, Option, Predicate, Schema } from "effect"

export interface GoogleError {
  readonly code: number
  /** `RESOURCE_EXHAUSTED` and the like. */
  readonly status: string | undefined
  readonly message: string
  readonly details: ReadonlyArray<ErrorDetail>
}

export type ErrorDetail = { readonly [key: string]: unknown }

const MAX_NESTING = 10

/** Accepts the text of a body or a value that was parsed already. */
export const parseGoogleError = (body: unknown): Option.Option<GoogleError> => {
  let found: GoogleError | undefined
  let next: unknown = body
  for (let level = 0; level < MAX_NESTING; level++) {
    const error = errorObjectIn(next)
    if (error === undefined) break
    found = mergeLevels(error, found)
    next = error.message
  }
  return found === undefined || found.message === "" ? Option.none() : Option.some(found)
}

type RawError = Omit<GoogleError, "code"> & { readonly code: number | undefined }

/** The innermost error says most; what it lacks is taken from the one around it. */
const mergeLevels = (inner: RawError, outer: GoogleError | undefined): GoogleError | undefined => {
  const code = inner.code ?? outer?.code
  if (code === undefined) return outer
  return {
    code,
    status: inner.status ?? outer?.status,
    message: inner.message,
    details: inner.details.length > 0 ? inner.details : (outer?.details ?? [])
  }
}

const errorObjectIn = (value: unknown): RawError | undefined => {
  const parsed = typeof value === "string" ? parseLoosely(value) : value
  const first = Array.isArray(parsed) ? parsed[0] : parsed
  if (!Predicate.isRecord(first)) return undefined
  const error = Predicate.isRecord(first.error) ? first.error : first
  if (typeof error.message !== "string") return undefined
  return {
    code: typeof error.code === "number" ? error.code : undefined,
    status: typeof error.status === "string" && error.status !== "" ? error.status : undefined,
    message: error.message,
    details: Array.isArray(error.details) ? error.details.filter(Predicate.isRecord).map(trimTypeKey) : []
  }
}

const Json = Schema.parseJson()

const parseJson = (text: string) => Schema.decodeUnknownOption(Json)(text)

/** The whole text, else what stands between its first and last brace. */
const parseLoosely = (text: string): unknown => {
  const start = text.indexOf("{")
  if (start < 0) return undefined
  const whole = parseJson(text.trim())
  if (Option.isSome(whole)) return whole.value
  const middle = text.slice(start, text.lastIndexOf("}") + 1).replace(/,(?:\s*,)+/g, ",")
  return Option.getOrUndefined(parseJson(middle))
}

const trimTypeKey = (detail: ErrorDetail): ErrorDetail =>
  Object.fromEntries(Object.entries(detail).map(([key, value]) => [key.trim() === "@type" ? "@type" : key, value]))

const ofType =
  (name: string) =>
  (detail: ErrorDetail): boolean =>
    typeof detail["@type"] === "string" && detail["@type"].trim().endsWith(`google.rpc.${name}`)

const text = Schema.optional(Schema.String)
const ErrorInfo = Schema.Struct({
  reason: text,
  domain: text,
  metadata: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { default: () => ({}) })
})
const QuotaFailure = Schema.Struct({ violations: Schema.Array(Schema.Struct({ quotaId: text, description: text })) })
const RetryInfo = Schema.Struct({ retryDelay: Schema.String })
const Help = Schema.Struct({ links: Schema.Array(Schema.Struct({ url: text, description: text })) })

const detailOf = <A, I>(error: GoogleError, name: string, schema: Schema.Schema<A, I>): Option.Option<A> =>
  Option.flatMap(Option.fromNullable(error.details.find(ofType(name))), Schema.decodeUnknownOption(schema))

export const errorInfoOf = (error: GoogleError) => detailOf(error, "ErrorInfo", ErrorInfo)

export const quotaIdsOf = (error: GoogleError): ReadonlyArray<string> =>
  Option.match(detailOf(error, "QuotaFailure", QuotaFailure), {
    onNone: () => [],
    onSome: ({ violations }) => violations.flatMap(({ quotaId }) => (quotaId === undefined ? [] : [quotaId]))
  })

export const helpLinksOf = (error: GoogleError) =>
  Option.match(detailOf(error, "Help", Help), { onNone: () => [], onSome: ({ links }) => links })

export const retryDelayOf = (error: GoogleError): Option.Option<Duration.Duration> =>
  Option.flatMap(detailOf(error, "RetryInfo", RetryInfo), ({ retryDelay }) => parseDelay(retryDelay))

/** `3.5s` or `200ms`. */
export const parseDelay = (value: string): Option.Option<Duration.Duration> => {
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s)\s*$/.exec(value) ?? []
  if (amount === undefined) return Option.none()
  return Option.some(Duration.millis(Math.round(Number(amount) * (unit === "ms" ? 1 : 1000))))
}

/** A wait that only the sentence names: "Please retry in 12.5s". */
export const delayInMessage = (message: string): Option.Option<Duration.Duration> => {
  const [, delay] = /retry in (\d+(?:\.\d+)?\s*(?:ms|s))\b/i.exec(message) ?? []
  return Option.flatMap(Option.fromNullable(delay), parseDelay)
}
