import { describe, expect, test } from "bun:test"
import { DateTime, Duration } from "effect"
import {
  DAILY_QUOTA,
  type ErrorDetail,
  errorBody,
  errorInfo,
  quotaFailure,
  retryInfo
} from "../../test/kit/google-errors.ts"
import { badResponse, classifyFailure, classifyRefusal } from "./classify.ts"

const MINUTE_QUOTA = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
const now = DateTime.unsafeMake("2025-01-15T12:00:00Z")
const CLOUD_CODE = "cloudcode-pa.googleapis.com"
const help = (...links: ReadonlyArray<{ url: string; description: string }>): ErrorDetail => ({
  "@type": "type.googleapis.com/google.rpc.Help",
  links
})

interface Expected {
  readonly kind: string
  readonly waitMs?: number
  readonly resetsAt?: string
  readonly errorType?: string
}

type Row = readonly [name: string, status: number, message: string, details: ReadonlyArray<ErrorDetail>, Expected]

const rows: ReadonlyArray<Row> = [
  ["404", 404, "no such model", [], { kind: "not-found", errorType: "HTTP_404" }],
  ["403 that asks for verification", 403, "verify", [errorInfo("VALIDATION_REQUIRED", CLOUD_CODE)], { kind: "auth" }],
  ["limit: 0", 429, "Quota exceeded, limit: 0, model: x", [retryInfo("5s")], { kind: "quota" }],
  ["limit: 0 on 503", 503, "limit: 0", [], { kind: "quota" }],
  ["limit: 05 is another number", 429, "limit: 05", [], { kind: "rate-limited" }],
  ["a wait in the text of a 400", 400, "Please retry in 3s", [], { kind: "rate-limited", waitMs: 3000 }],
  ["a wait in the text of a 500", 500, "retry in 250ms", [], { kind: "unavailable", waitMs: 250 }],
  ["a long wait in the text", 429, "Please retry in 301s", [], { kind: "quota", resetsAt: "2025-01-15T12:05:01.000Z" }],
  ["300 s is still a wait", 429, "Please retry in 300s", [], { kind: "rate-limited", waitMs: 300_000 }],
  ["no details, no capacity", 429, "You have exhausted your capacity on this model", [], { kind: "capacity" }],
  ["plain 429", 429, "slow down", [], { kind: "rate-limited", errorType: "QUOTA_EXCEEDED" }],
  ["plain 499", 499, "cancelled", [], { kind: "unavailable", errorType: "HTTP_499" }],
  ["plain 503", 503, "overloaded", [], { kind: "unavailable", errorType: "SERVER_ERROR" }],
  [
    "daily quota, with its misleading short wait",
    429,
    "q",
    [quotaFailure(DAILY_QUOTA), retryInfo("20s")],
    { kind: "quota", resetsAt: "2025-01-16T08:00:00.000Z" }
  ],
  [
    "daily quota, other spelling",
    429,
    "q",
    [quotaFailure("DailyRequests")],
    { kind: "quota", resetsAt: "2025-01-16T08:00:00.000Z" }
  ],
  [
    "daily quota with a reset time",
    429,
    "q",
    [quotaFailure(DAILY_QUOTA), errorInfo("X", "d", { quotaResetTimeStamp: "2025-01-15T23:00:00Z" })],
    { kind: "quota", resetsAt: "2025-01-15T23:00:00Z" }
  ],
  [
    "no capacity",
    429,
    "m",
    [errorInfo("MODEL_CAPACITY_EXHAUSTED"), retryInfo("9s")],
    { kind: "capacity", waitMs: 9000 }
  ],
  ["capacity exceeded", 503, "m", [errorInfo("MODEL_CAPACITY_EXCEEDED")], { kind: "capacity" }],
  ["no credits", 429, "m", [errorInfo("INSUFFICIENT_G1_CREDITS_BALANCE"), retryInfo("1s")], { kind: "quota" }],
  [
    "Code Assist rate limit without a wait",
    429,
    "m",
    [errorInfo("RATE_LIMIT_EXCEEDED", CLOUD_CODE)],
    { kind: "quota" }
  ],
  [
    "Code Assist rate limit with one",
    429,
    "m",
    [errorInfo("RATE_LIMIT_EXCEEDED", CLOUD_CODE), retryInfo("7s")],
    { kind: "rate-limited", waitMs: 7000 }
  ],
  [
    "Code Assist rate limit with a long one",
    429,
    "m",
    [errorInfo("RATE_LIMIT_EXCEEDED", CLOUD_CODE), retryInfo("600s")],
    { kind: "quota", resetsAt: "2025-01-15T12:10:00.000Z" }
  ],
  [
    "Code Assist quota",
    429,
    "m",
    [errorInfo("QUOTA_EXHAUSTED", `"${CLOUD_CODE}"`), retryInfo("7s")],
    { kind: "quota", resetsAt: "2025-01-15T12:00:07.000Z" }
  ],
  [
    "the same words from elsewhere",
    429,
    "m",
    [errorInfo("QUOTA_EXHAUSTED", "other.googleapis.com"), retryInfo("7s")],
    { kind: "rate-limited", waitMs: 7000 }
  ],
  ["RetryInfo", 429, "m", [retryInfo("34.5s")], { kind: "rate-limited", waitMs: 34_500 }],
  ["RetryInfo on 503", 503, "m", [retryInfo("2s")], { kind: "unavailable", waitMs: 2000 }],
  ["a long RetryInfo", 429, "m", [retryInfo("301s")], { kind: "quota", resetsAt: "2025-01-15T12:05:01.000Z" }],
  ["minute quota", 429, "m", [quotaFailure(MINUTE_QUOTA)], { kind: "rate-limited", waitMs: 60_000 }],
  [
    "minute quota in the metadata",
    429,
    "m",
    [errorInfo("R", "d", { quota_limit: "RequestsPerMinute" })],
    { kind: "rate-limited", waitMs: 60_000 }
  ],
  ["details that say nothing, capacity in the text", 429, "capacity exceeded", [errorInfo("R")], { kind: "capacity" }],
  ["details that say nothing", 429, "m", [errorInfo("R")], { kind: "rate-limited" }],
  ["details that say nothing on 499", 499, "m", [errorInfo("R")], { kind: "unavailable" }],
  ["400", 400, "bad", [], { kind: "bad-request", errorType: "HTTP_400" }],
  ["400 for a wrong key", 400, "API key not valid", [errorInfo("API_KEY_INVALID")], { kind: "auth" }],
  ["401", 401, "no", [], { kind: "auth", errorType: "HTTP_401" }],
  ["403", 403, "no", [], { kind: "auth", errorType: "HTTP_403" }],
  ["407", 407, "no", [], { kind: "unreachable" }],
  ["413", 413, "too large", [], { kind: "bad-request" }],
  ["500", 500, "oops", [], { kind: "unavailable", errorType: "SERVER_ERROR" }],
  ["504", 504, "late", [], { kind: "unavailable", errorType: "SERVER_ERROR" }],
  ["302", 302, "moved", [], { kind: "bad-response" }]
]

describe("classifyRefusal", () => {
  for (const [name, status, message, details, expected] of rows) {
    test(name, () => {
      const error = classifyRefusal({
        status,
        body: JSON.stringify(errorBody(status, message, details)),
        now,
        phase: "open",
        model: "m"
      })
      expect({
        kind: error.kind,
        ...(error.retryAfter === undefined ? {} : { waitMs: Duration.toMillis(error.retryAfter) }),
        ...(error.resetsAt === undefined ? {} : { resetsAt: error.resetsAt }),
        ...(expected.errorType === undefined ? {} : { errorType: error.errorType })
      } as Expected).toEqual(expected)
    })
  }

  const midnights: ReadonlyArray<readonly [now: string, reset: string]> = [
    ["2025-01-15T07:59:59Z", "2025-01-15T08:00:00.000Z"],
    ["2025-07-01T12:00:00Z", "2025-07-02T07:00:00.000Z"],
    ["2025-03-09T09:00:00Z", "2025-03-10T07:00:00.000Z"],
    ["2025-11-02T08:00:00Z", "2025-11-03T08:00:00.000Z"]
  ]
  for (const [at, reset] of midnights) {
    test(`a day that ends after ${at}`, () => {
      const body = JSON.stringify(errorBody(429, "q", [quotaFailure(DAILY_QUOTA)]))
      expect(classifyRefusal({ status: 429, body, now: DateTime.unsafeMake(at), phase: "open" }).resetsAt).toBe(reset)
    })
  }

  const headers: ReadonlyArray<
    readonly [header: string, status: number, details: ReadonlyArray<ErrorDetail>, Expected]
  > = [
    ["7", 429, [], { kind: "rate-limited", waitMs: 7000 }],
    ["7", 503, [], { kind: "unavailable", waitMs: 7000 }],
    ["Wed, 15 Jan 2025 12:00:30 GMT", 503, [], { kind: "unavailable", waitMs: 30_000 }],
    ["Wed, 15 Jan 2025 11:00:00 GMT", 503, [], { kind: "unavailable", waitMs: 0 }],
    ["7", 429, [retryInfo("3s")], { kind: "rate-limited", waitMs: 3000 }],
    ["3600", 429, [], { kind: "quota" }],
    ["3600", 503, [], { kind: "unavailable", waitMs: 3_600_000 }],
    ["7", 400, [], { kind: "bad-request" }],
    ["soon", 503, [], { kind: "unavailable" }]
  ]
  for (const [header, status, details, expected] of headers) {
    test(`Retry-After: ${header} on ${status}${details.length > 0 ? " with RetryInfo" : ""}`, () => {
      const body = JSON.stringify(errorBody(status, "m", details))
      const error = classifyRefusal({ status, body, now, phase: "open", retryAfter: header })
      expect({
        kind: error.kind,
        ...(error.retryAfter === undefined ? {} : { waitMs: Duration.toMillis(error.retryAfter) })
      } as Expected).toEqual(expected)
    })
  }

  test("keeps what the user needs to act: reason, link, the API's status name", () => {
    const details = [
      errorInfo("VALIDATION_REQUIRED", CLOUD_CODE, { validation_link: "https://late.example" }),
      help(
        { url: "https://support.google.com/x", description: "Learn more" },
        { url: "https://verify.example", description: "Verify" }
      )
    ]
    const error = classifyRefusal({
      status: 403,
      body: JSON.stringify(errorBody(403, "no", details)),
      now,
      phase: "open"
    })
    expect([error.reason, error.link, error.statusName]).toEqual([
      "VALIDATION_REQUIRED",
      "https://verify.example",
      "PERMISSION_DENIED"
    ])
  })

  const bodies: ReadonlyArray<readonly [body: string, detail: string]> = [
    [
      "<html><head><title>502 Bad\nGateway</title></head></html>",
      'the server sent an HTML page titled "502 Bad Gateway"'
    ],
    ["<!doctype html><p>x", "the server sent an HTML page"],
    ["upstream connect error", "the server sent this text: upstream connect error"],
    ["  ", "the server sent an empty body"],
    ['{"unexpected": true}', 'the server sent this text: {"unexpected": true}']
  ]
  for (const [body, detail] of bodies) {
    test(`a 502 with ${JSON.stringify(body)}`, () => {
      const error = classifyRefusal({ status: 502, body, now, phase: "open" })
      expect([error.kind, error.detail]).toEqual(["unavailable", detail])
    })
  }

  test("a long message becomes one bounded line", () => {
    const body = JSON.stringify(errorBody(400, `a\n${"b".repeat(5000)}`))
    const { detail } = classifyRefusal({ status: 400, body, now, phase: "open" })
    expect(detail.length).toBeLessThan(700)
    expect(detail).not.toContain("\n")
  })
})

describe("classifyFailure", () => {
  const coded = (code: string, cause?: unknown) => Object.assign(new Error("boom", { cause }), { code })
  const deep = (levels: number): unknown =>
    levels === 0 ? coded("ECONNRESET") : new Error("wrapped", { cause: deep(levels - 1) })
  const failures: ReadonlyArray<readonly [name: string, cause: unknown, kind: string, errorType: string]> = [
    ...[
      "ECONNRESET",
      "ETIMEDOUT",
      "EPIPE",
      "ENOTFOUND",
      "EAI_AGAIN",
      "ECONNREFUSED",
      "ERR_SSL_WRONG_VERSION_NUMBER",
      "EPROTO"
    ].map((code) => [code, coded(code), "network", code] as const),
    ...["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT", "ERR_STREAM_PREMATURE_CLOSE"].map(
      (code) => [code, coded(code), "network", code] as const
    ),
    [
      "a broken TLS record",
      coded("ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC"),
      "network",
      "ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC"
    ],
    ["ConnectionRefused", coded("ConnectionRefused"), "network", "ECONNREFUSED"],
    ["ConnectionClosed", coded("ConnectionClosed"), "network", "ECONNRESET"],
    ["FailedToOpenSocket", coded("FailedToOpenSocket"), "network", "ENOTFOUND"],
    ["Timeout", coded("Timeout"), "network", "ETIMEDOUT"],
    ["five causes down", deep(5), "network", "ECONNRESET"],
    ["six causes down", deep(6), "network", "FETCH_FAILED"],
    ["an untrusted certificate", coded("DEPTH_ZERO_SELF_SIGNED_CERT"), "unreachable", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    [
      "a certificate for another name",
      coded("ERR_TLS_CERT_ALTNAME_INVALID"),
      "unreachable",
      "ERR_TLS_CERT_ALTNAME_INVALID"
    ],
    ["a proxy that refuses", coded("ERR_PROXY_TUNNEL"), "unreachable", "ERR_PROXY_TUNNEL"],
    ["an unknown code", coded("E_NEW"), "network", "E_NEW"],
    ["an error without a code", new Error("fetch failed"), "network", "FETCH_FAILED"],
    ["no error at all", "text", "network", "FETCH_FAILED"]
  ]
  for (const [name, cause, kind, errorType] of failures) {
    test(name, () => {
      const error = classifyFailure(cause, { phase: "body" })
      expect([error.kind, error.errorType, error.phase]).toEqual([kind, errorType, "body"])
    })
  }
})

test("a page instead of an answer is named", () => {
  const error = badResponse("<html><title>Sign in</title>", { phase: "open", model: "m" })
  expect([error.kind, error.detail, error.isRetryable]).toEqual([
    "bad-response",
    'the server did not send a Gemini answer but an HTML page titled "Sign in"',
    false
  ])
})

test.each<[number, string, boolean]>([
  [400, "The input token count (1310720) exceeds the maximum number of tokens allowed (1048576).", true],
  [413, "Prompt is too long: 300000 tokens", true],
  [400, "This model's maximum context length is 8192 tokens", true],
  [400, "Request contains an invalid argument.", false],
  [400, "maxOutputTokens exceeds the limit of the model", false],
  [500, "The input token count (2) exceeds the maximum number of tokens allowed (1).", false]
])("%d %s: too long is %p", (status, message, isTooLong) => {
  const error = classifyRefusal({ status, now, body: JSON.stringify(errorBody(status, message)), phase: "open" })
  expect(error.isTooLong === true).toBe(isTooLong)
})
