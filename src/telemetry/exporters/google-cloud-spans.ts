/** A span as Cloud Trace takes it. */
import type { ReadableSpan } from "@opentelemetry/sdk-trace"
import { isoTime } from "./google-cloud-time.ts"

export const cloudSpan = (span: ReadableSpan, project: string) => {
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
