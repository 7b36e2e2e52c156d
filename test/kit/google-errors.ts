/** Error bodies in the form of Google's APIs, with the details that say how long to wait and which quota is used up. */
import type { Manner, Reply } from "./replies.ts"

export type ErrorDetail = Readonly<Record<string, unknown>>

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED"
}

export const errorBody = (status: number, message: string, details: ReadonlyArray<ErrorDetail> = []) => ({
  error: {
    code: status,
    message,
    status: STATUS_NAMES[status] ?? "UNKNOWN",
    ...(details.length === 0 ? {} : { details })
  }
})

export const googleError = (
  status: number,
  message: string,
  details: ReadonlyArray<ErrorDetail> = [],
  extra: { readonly headers?: Record<string, string> } & Manner = {}
): Reply => {
  const { headers, ...manner } = extra
  return {
    _tag: "Raw",
    status,
    headers: { "content-type": "application/json; charset=UTF-8", ...headers },
    body: JSON.stringify(errorBody(status, message, details), null, 2),
    ...manner
  }
}

/** `delay` in the API's notation: `"2s"`, `"0.05s"`. */
export const retryInfo = (delay: string): ErrorDetail => ({
  "@type": "type.googleapis.com/google.rpc.RetryInfo",
  retryDelay: delay
})

export const quotaFailure = (quotaId: string, extra: Readonly<Record<string, unknown>> = {}): ErrorDetail => ({
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [
    {
      quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
      quotaId,
      quotaDimensions: { location: "global", model: "scripted" },
      quotaValue: "50",
      ...extra
    }
  ]
})

export const errorInfo = (
  reason: string,
  domain = "googleapis.com",
  metadata: Readonly<Record<string, string>> = {}
): ErrorDetail => ({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain, metadata })

export const badRequest = (field: string, description: string): ErrorDetail => ({
  "@type": "type.googleapis.com/google.rpc.BadRequest",
  fieldViolations: [{ field, description }]
})

export const DAILY_QUOTA = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
