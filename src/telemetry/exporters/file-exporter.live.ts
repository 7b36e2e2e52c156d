/**
 * Telemetry in a file, or on standard error: one indented JSON object after another, each beginning on a line of its
 * own, so that a reader may split the text at `}` newline `{` while it still grows.
 */
import { mkdir } from "node:fs/promises"
import { dirname } from "node:path"
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs"
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics"
import type { ReadableSpan } from "@opentelemetry/sdk-trace"
import { Effect } from "effect"
import { append } from "../../system/append-file.ts"
import type { Exporter } from "./post-json.ts"

const METRIC_SECONDS = 10

export const fileExporter = (file: string): Effect.Effect<Exporter> =>
  Effect.map(Effect.cached(folderOf(file)), (folder) =>
    exporterOver(file, (text) => Effect.zipRight(folder, append(file, text)))
  )

export const consoleExporter = (write: (text: string) => Effect.Effect<void>): Exporter =>
  exporterOver("standard error", write)

const exporterOver = (name: string, write: (text: string) => Effect.Effect<void, string>): Exporter => {
  const writeAll = (records: ReadonlyArray<unknown>) =>
    write(records.map((record) => `${JSON.stringify(record, null, 2)}\n`).join(""))
  return {
    logs: (records) => writeAll(records.map(plainLog)),
    spans: (spans) => writeAll(spans.map(plainSpan)),
    metrics: (metrics) => writeAll([plainMetrics(metrics)]),
    metricSeconds: METRIC_SECONDS,
    name
  }
}

const folderOf = (file: string) =>
  Effect.asVoid(Effect.tryPromise({ try: () => mkdir(dirname(file), { recursive: true }), catch: reasonOf }))

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// Records as plain data, in the fields that readers of telemetry files know.

const plainLog = (record: ReadableLogRecord) => ({
  hrTime: record.hrTime,
  hrTimeObserved: record.hrTimeObserved,
  spanContext: record.spanContext,
  body: record.body,
  resource: { attributes: record.resource.attributes },
  instrumentationScope: record.instrumentationScope,
  attributes: record.attributes
})

const plainSpan = (span: ReadableSpan) => ({
  name: span.name,
  kind: span.kind,
  traceId: span.spanContext().traceId,
  id: span.spanContext().spanId,
  parentId: span.parentSpanContext?.spanId,
  startTime: span.startTime,
  endTime: span.endTime,
  duration: span.duration,
  status: span.status,
  attributes: span.attributes,
  events: span.events,
  resource: { attributes: span.resource.attributes },
  instrumentationScope: span.instrumentationScope
})

const plainMetrics = ({ resource, scopeMetrics }: ResourceMetrics) => ({
  resource: { attributes: resource.attributes },
  scopeMetrics
})
