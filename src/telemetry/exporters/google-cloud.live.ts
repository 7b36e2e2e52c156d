/**
 * Cloud Logging, Cloud Trace and Cloud Monitoring through their REST interfaces: three requests that need nothing but
 * credentials, where the vendor's clients would bring more code than the rest of the program.
 */

import type { ValueType } from "@opentelemetry/api"
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs"
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics"
import type { ReadableSpan } from "@opentelemetry/sdk-trace"
import { Effect } from "effect"
import type { HttpClient } from "../../system/http/http.ts"
import { type Exporter, type ExporterVariables, postJson } from "./post-json.ts"

const METRIC_SECONDS = 30
/** The interface takes no more of them at once. */
const MAX_SERIES = 200

export interface GoogleCloudOptions {
  readonly http: HttpClient
  readonly project: string
  readonly credentials: Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, string>
  readonly variables: ExporterVariables
}

export const googleCloudExporter = ({ credentials, http, project, variables }: GoogleCloudOptions): Exporter => {
  const { logging, monitoring, trace } = endpointsOf(variables)
  const post = (url: string, content: object) =>
    Effect.flatMap(credentials, (headers) => postJson({ url, body: JSON.stringify(content), headers, http }))
  return {
    logs: (records) =>
      post(`${logging}/v2/entries:write`, {
        logName: `projects/${project}/logs/gemini_cli`,
        resource: { type: "global" },
        entries: records.map(logEntry)
      }),
    spans: (spans) =>
      post(`${trace}/v2/projects/${project}/traces:batchWrite`, {
        spans: spans.map((span) => cloudSpan(span, project))
      }),
    metrics: (metrics) =>
      Effect.forEach(
        inGroups(timeSeries(metrics), MAX_SERIES),
        (group) => post(`${monitoring}/v3/projects/${project}/timeSeries`, { timeSeries: group }),
        { discard: true }
      ),
    metricSeconds: METRIC_SECONDS,
    name: `Google Cloud, project ${project}`
  }
}

/** Other addresses of the same services, such as those of a private network, under the names that `gcloud` reads. */
const endpointsOf = (variables: ExporterVariables) => ({
  logging: withoutSlash(variables.CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING) ?? "https://logging.googleapis.com",
  trace: withoutSlash(variables.CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDTRACE) ?? "https://cloudtrace.googleapis.com",
  monitoring: withoutSlash(variables.CLOUDSDK_API_ENDPOINT_OVERRIDES_MONITORING) ?? "https://monitoring.googleapis.com"
})

const withoutSlash = (address: string | undefined): string | undefined => address?.replace(/\/+$/, "") || undefined

const inGroups = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0 ? [] : [all.slice(0, size), ...inGroups(all.slice(size), size)]

/** Cloud Logging takes only so many characters. */
const LIMITS = { text: 10_000, textOfLarge: 2_000, entry: 100_000, raw: 50_000 }

/**
 * Records, metrics and spans in the forms that Cloud Logging, Cloud Monitoring and Cloud Trace take.
 * A record as an entry of Cloud Logging.
 */
const logEntry = (record: ReadableLogRecord) => ({
  severity: severityOf(record.severityNumber ?? 9),
  timestamp: isoTime(record.hrTime),
  jsonPayload: fitting({ message: record.body, ...record.attributes })
})

const severityOf = (level: number): string => {
  if (level >= 21) return "CRITICAL"
  if (level >= 17) return "ERROR"
  if (level >= 13) return "WARNING"
  return level >= 9 ? "INFO" : "DEBUG"
}

/** Long texts are cut, then all of them more, then what is left is no longer taken apart. */
const fitting = (payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const first = cutTexts(payload, LIMITS.text)
  if (JSON.stringify(first).length <= LIMITS.entry) return first
  const second = cutTexts(payload, LIMITS.textOfLarge)
  const text = JSON.stringify(second)
  return text.length <= LIMITS.entry ? second : { raw: text.slice(0, LIMITS.raw) }
}

const cutTexts = (payload: Readonly<Record<string, unknown>>, limit: number) =>
  Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [
      name,
      typeof value === "string" && value.length > limit ? `${value.slice(0, limit)}...` : value
    ])
  )

const PREFIX = "custom.googleapis.com/gemini_cli"

/** Collected metrics as time series of Cloud Monitoring. */
const timeSeries = ({ scopeMetrics }: ResourceMetrics) =>
  scopeMetrics
    .flatMap(({ metrics }) => metrics)
    .flatMap(({ dataPoints, descriptor }) =>
      dataPoints.map(({ attributes, endTime, startTime, value: point }) => ({
        metric: {
          type: `${PREFIX}/${descriptor.name}`,
          labels: Object.fromEntries(
            Object.entries(attributes).map(([name, label]) => [name.replaceAll(/\W/g, "_"), String(label)])
          )
        },
        resource: { type: "global", labels: {} },
        metricKind: "CUMULATIVE",
        ...typed(point, descriptor.valueType, (value) => [
          { interval: { startTime: isoTime(startTime), endTime: isoTime(endTime) }, value }
        ])
      }))
    )

/** `ValueType.INT`: only the exporters that need the vendor's code load it. */
const WHOLE: ValueType.INT = 0

/** The kind of a value is named beside it, and decides under which name it stands. */
const typed = (point: number | Counted, type: ValueType, points: (value: object) => ReadonlyArray<object>) => {
  if (typeof point !== "number") {
    return { valueType: "DISTRIBUTION", points: points({ distributionValue: distribution(point) }) }
  }
  return type === WHOLE
    ? { valueType: "INT64", points: points({ int64Value: String(point) }) }
    : { valueType: "DOUBLE", points: points({ doubleValue: point }) }
}

/** What is common to the histograms of the SDK. Those with exponential buckets are not made here. */
type Counted = Extract<
  ResourceMetrics["scopeMetrics"][number]["metrics"][number]["dataPoints"][number]["value"],
  { readonly count: number }
>

const distribution = (value: Counted) => ({
  count: String(value.count),
  mean: value.count === 0 ? 0 : (value.sum ?? 0) / value.count,
  sumOfSquaredDeviation: 0,
  ...("buckets" in value
    ? {
        bucketOptions: { explicitBuckets: { bounds: value.buckets.boundaries } },
        bucketCounts: value.buckets.counts.map(String)
      }
    : {})
})

/** A span as Cloud Trace takes it. */
const cloudSpan = (span: ReadableSpan, project: string) => {
  const { spanId, traceId } = span.spanContext()
  return {
    name: `projects/${project}/traces/${traceId}/spans/${spanId}`,
    spanId,
    ...(span.parentSpanContext === undefined ? {} : { parentSpanId: span.parentSpanContext.spanId }),
    displayName: { value: span.name },
    startTime: isoTime(span.startTime),
    endTime: isoTime(span.endTime),
    attributes: {
      attributeMap: Object.fromEntries(Object.entries(span.attributes).map(([name, value]) => [name, attribute(value)]))
    },
    status: { code: span.status.code === 2 ? 2 : 0, ...(span.status.message && { message: span.status.message }) }
  }
}

const attribute = (value: unknown) => {
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "number" && Number.isInteger(value)) return { intValue: String(value) }
  return { stringValue: { value: String(value) } }
}

/** Seconds and nanoseconds as a timestamp of Google's interfaces. */
const isoTime = ([seconds, nanoseconds]: readonly [number, number]): string =>
  new Date(seconds * 1_000 + Math.floor(nanoseconds / 1_000_000)).toISOString()
