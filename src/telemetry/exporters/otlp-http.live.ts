/**
 * OTLP over HTTP, as JSON: written by the official serializers, sent by the runtime itself. The vendor's exporter would
 * try a collector that is down for seconds, and the run would end so much later.
 */
import { JsonLogsSerializer, JsonMetricsSerializer, JsonTraceSerializer } from "@opentelemetry/otlp-transformer"
import { Effect } from "effect"
import type { Exporter } from "./exporter.ts"

const METRIC_SECONDS = 10

export const otlpHttpExporter = (url: string): Exporter => ({
  logs: (records) => post(`${url}/v1/logs`, JsonLogsSerializer.serializeRequest([...records])),
  spans: (spans) => post(`${url}/v1/traces`, JsonTraceSerializer.serializeRequest([...spans])),
  metrics: (metrics) => post(`${url}/v1/metrics`, JsonMetricsSerializer.serializeRequest(metrics)),
  metricSeconds: METRIC_SECONDS,
  name: url
})

const post = (url: string, body: Uint8Array | undefined): Effect.Effect<void, string> =>
  Effect.tryPromise({
    try: (signal) =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: body === undefined ? null : new Uint8Array(body),
        signal
      }),
    catch: (error) => (error instanceof Error ? error.message : String(error))
  }).pipe(
    Effect.flatMap((response) =>
      response.ok ? Effect.void : Effect.fail(`${new URL(url).host} answered ${response.status}`)
    )
  )
