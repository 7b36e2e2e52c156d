/**
 * What kind of failure a refused request is. The order of the rules is part of the contract: the first that fits
 * decides. They tell a limit that passes in seconds from a quota that outlasts the run.
 */
import { DateTime, Duration, Option } from "effect"
import { delayInMessage, errorInfoOf, type GoogleError, quotaIdsOf, retryDelayOf } from "./google-error.ts"
import type { ModelErrorKind } from "./model-error.ts"
import { LONGEST_WAIT } from "./retry-limits.ts"

export interface RefusalKind {
  readonly kind: ModelErrorKind
  readonly detail?: string
  readonly retryAfter?: Duration.Duration
  readonly resetsAt?: string
  readonly isTooLong?: true
}

export interface Facts {
  readonly status: number
  readonly now: DateTime.Utc
  readonly message: string
  /** The service says so itself: no page of a proxy on the way. */
  readonly isOfService: boolean
  readonly hasDetails: boolean
  readonly reason: string | undefined
  readonly isCloudCode: boolean
  readonly quotaIds: ReadonlyArray<string>
  readonly quotaLimit: string
  readonly resetTime: string | undefined
  /** Of the details, else of the header. */
  readonly delay: Option.Option<Duration.Duration>
}

const CLOUD_CODE = /^(?:staging-|autopush-)?cloudcode-pa\.googleapis\.com$/
const CAPACITY_REASON = /^MODEL_CAPACITY_(?:EXHAUSTED|EXCEEDED)$/
const CAPACITY_TEXT = /exhausted your capacity|capacity exceeded|MODEL_CAPACITY_EXHAUSTED/i
const MINUTE_LIMIT_WAIT = Duration.seconds(60)

export const factsOf = (refusal: {
  readonly status: number
  readonly now: DateTime.Utc
  readonly message: string
  readonly retryAfter?: string | undefined
  readonly google: Option.Option<GoogleError>
}): Facts => {
  const info = Option.getOrUndefined(Option.flatMap(refusal.google, errorInfoOf))
  const header = Option.flatMap(Option.fromNullable(refusal.retryAfter), (text) => parseRetryAfter(text, refusal.now))
  return {
    status: refusal.status,
    now: refusal.now,
    message: refusal.message,
    isOfService: Option.isSome(refusal.google),
    hasDetails: Option.exists(refusal.google, (error) => error.details.length > 0),
    reason: info?.reason,
    isCloudCode: CLOUD_CODE.test((info?.domain ?? "").replace(/[^a-zA-Z0-9.-]/g, "")),
    quotaIds: Option.match(refusal.google, { onNone: () => [], onSome: quotaIdsOf }),
    quotaLimit: info?.metadata.quota_limit ?? "",
    resetTime: info?.metadata.quotaResetTimeStamp,
    delay: Option.orElse(Option.flatMap(refusal.google, retryDelayOf), () => header)
  }
}

export const decide = (facts: Facts): RefusalKind => {
  const { message, quotaIds, reason, status } = facts
  const isLimit = status === 429 || status === 499 || status === 503
  if (status === 404) return { kind: "not-found" }
  if (status === 403 && facts.isCloudCode && reason === "VALIDATION_REQUIRED") return { kind: "auth" }
  if (isLimit && /limit: 0\b/.test(message)) return { kind: "quota" }
  if (!isLimit || !facts.hasDetails) return decideWithoutDetails(facts, isLimit)
  if (quotaIds.some((id) => /PerDay|Daily/.test(id))) return dailyQuota(facts)
  if (reason !== undefined && CAPACITY_REASON.test(reason)) return afterWait(facts, "capacity")
  if (reason === "INSUFFICIENT_G1_CREDITS_BALANCE") return { kind: "quota" }
  if (facts.isCloudCode && reason === "RATE_LIMIT_EXCEEDED" && Option.isNone(facts.delay)) return { kind: "quota" }
  if (facts.isCloudCode && reason === "QUOTA_EXHAUSTED") return quotaUntil(facts)
  if (Option.isSome(facts.delay)) return afterWait(facts, passingKind(status))
  if ([...quotaIds, facts.quotaLimit].some((id) => id.includes("PerMinute"))) {
    return { kind: passingKind(status), retryAfter: MINUTE_LIMIT_WAIT }
  }
  return { kind: CAPACITY_TEXT.test(message) ? "capacity" : passingKind(status) }
}

const decideWithoutDetails = (facts: Facts, isLimit: boolean): RefusalKind => {
  const { message, status } = facts
  const spoken = delayInMessage(message)
  if (Option.isSome(spoken))
    return afterWait({ ...facts, delay: spoken }, status >= 499 ? "unavailable" : "rate-limited")
  if (isLimit && CAPACITY_TEXT.test(message)) return afterWait(facts, "capacity")
  if (status === 429) return afterWait(facts, "rate-limited")
  // A server under maintenance names long waits too; those are no quota, and the retry policy gives up on them.
  if (isLimit || (status >= 500 && status <= 599)) return withDelay("unavailable", facts.delay)
  const isTooLong = (status === 400 || status === 413) && LENGTH_TEXT.test(message)
  return { kind: refusedKind(facts), ...(isTooLong ? { isTooLong } : {}) }
}

/** How services say that a request has more tokens than the model takes; there is no reason that would say it. */
const LENGTH_TEXT =
  /input token count.*exceeds|exceeds the maximum number of (?:input )?tokens|maximum context length|context (?:window|length) exceeded|prompt is too long/i

/** What the API says of a key where it gives no reason. */
const KEY_TEXT = /API key (?:not valid|expired|not found)|invalid API key/i

const refusedKind = ({ isOfService, message, reason, status }: Facts): ModelErrorKind => {
  if (status === 403 && !isOfService) return "bad-response"
  if (status === 401 || status === 403 || reason === "API_KEY_INVALID") return "auth"
  if (status === 400 && reason === undefined && KEY_TEXT.test(message)) return "auth"
  if (status === 407) return "unreachable"
  // Neither success nor failure: a redirect that was not followed, or a gateway that makes up numbers.
  return status < 400 || status > 599 ? "bad-response" : "bad-request"
}

const passingKind = (status: number): ModelErrorKind => (status === 429 ? "rate-limited" : "unavailable")

/** A wait that the server named: kept when it is short, the end of the run when it is long. */
const afterWait = (facts: Facts, kind: ModelErrorKind): RefusalKind =>
  Option.exists(facts.delay, Duration.greaterThan(LONGEST_WAIT)) ? quotaUntil(facts) : withDelay(kind, facts.delay)

const withDelay = (kind: ModelErrorKind, delay: Option.Option<Duration.Duration>): RefusalKind =>
  Option.match(delay, { onNone: () => ({ kind }), onSome: (retryAfter) => ({ kind, retryAfter }) })

const quotaUntil = (facts: Facts): RefusalKind => {
  const computed = Option.map(facts.delay, (wait) => DateTime.formatIso(DateTime.addDuration(facts.now, wait)))
  const resetsAt = facts.resetTime ?? Option.getOrUndefined(computed)
  return resetsAt === undefined ? { kind: "quota" } : { kind: "quota", resetsAt }
}

/** The short wait that comes along with a daily limit says nothing: the day ends at midnight Pacific time. */
const dailyQuota = (facts: Facts): RefusalKind => ({
  kind: "quota",
  detail: `the daily quota is used up: ${facts.message}`,
  resetsAt: facts.resetTime ?? nextPacificMidnight(facts.now)
})

const nextPacificMidnight = (now: DateTime.Utc): string => {
  const today = DateTime.startOf(DateTime.unsafeSetZoneNamed(now, "America/Los_Angeles"), "day")
  return DateTime.formatIso(DateTime.toUtc(DateTime.add(today, { days: 1 })))
}

/** The `Retry-After` header: whole seconds, or an HTTP date. A date in the past means no wait. Anything else that cannot be read is ignored. */
const parseRetryAfter = (header: string, now: DateTime.Utc): Option.Option<Duration.Duration> =>
  /^\s*\d+\s*$/.test(header)
    ? Option.some(Duration.seconds(Number(header)))
    : DateTime.make(new Date(header)).pipe(
        Option.map((date) => Duration.millis(Math.max(0, DateTime.distance(now, date))))
      )
