/** An exporter of the official packages as ours: callbacks become effects, and a failure becomes a reason. */
import type { ExportResult } from "@opentelemetry/core"
import type { LogRecordExporter } from "@opentelemetry/sdk-logs"
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics"
import type { SpanExporter } from "@opentelemetry/sdk-trace"
import { Effect } from "effect"
import type { Exporter } from "./exporter.ts"

const METRIC_SECONDS = 10
/** `ExportResultCode.SUCCESS`, without loading the package for it. */
const SUCCESS = 0

export const otlpExporter = (
  name: string,
  exporters: {
    readonly logs: LogRecordExporter
    readonly spans: SpanExporter
    readonly metrics: PushMetricExporter
  }
): Exporter => ({
  logs: (records) => exported((done) => exporters.logs.export([...records], done)),
  spans: (spans) => exported((done) => exporters.spans.export([...spans], done)),
  metrics: (metrics) => exported((done) => exporters.metrics.export(metrics, done)),
  metricSeconds: METRIC_SECONDS,
  name
})

const exported = (send: (done: (result: ExportResult) => void) => void): Effect.Effect<void, string> =>
  Effect.async((resume) =>
    send(({ code, error }) =>
      resume(code === SUCCESS ? Effect.void : Effect.fail(error?.message ?? "the collector refused"))
    )
  )
