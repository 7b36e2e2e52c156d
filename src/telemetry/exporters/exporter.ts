/** Where records go. Each kind is one file, loaded only when it was chosen. */
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs"
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics"
import type { ReadableSpan } from "@opentelemetry/sdk-trace"
import type { Effect } from "effect"

/** Sending fails with a reason for people. */
type Send<A> = (data: A) => Effect.Effect<void, string>

export interface Exporter {
  readonly logs: Send<ReadonlyArray<ReadableLogRecord>>
  readonly spans: Send<ReadonlyArray<ReadableSpan>>
  readonly metrics: Send<ResourceMetrics>
  /** How often metrics are sent, in seconds. */
  readonly metricSeconds: number
  /** For messages: an address or a file. */
  readonly name: string
}
