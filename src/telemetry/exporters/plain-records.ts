/** Records as plain data, in the fields that readers of telemetry files know. */
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs"
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics"
import type { ReadableSpan } from "@opentelemetry/sdk-trace"

export const plainLog = (record: ReadableLogRecord) => ({
  hrTime: record.hrTime,
  hrTimeObserved: record.hrTimeObserved,
  spanContext: record.spanContext,
  body: record.body,
  resource: { attributes: record.resource.attributes },
  instrumentationScope: record.instrumentationScope,
  attributes: record.attributes
})

export const plainSpan = (span: ReadableSpan) => ({
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

export const plainMetrics = ({ resource, scopeMetrics }: ResourceMetrics) => ({
  resource: { attributes: resource.attributes },
  scopeMetrics
})
