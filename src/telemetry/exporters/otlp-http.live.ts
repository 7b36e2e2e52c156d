/**
 * OTLP over HTTP, as JSON: written by the official serializers, sent by the runtime itself. The vendor's exporter would
 * try a collector that is down for seconds, and the run would end so much later.
 */
import { JsonLogsSerializer, JsonMetricsSerializer, JsonTraceSerializer } from "@opentelemetry/otlp-transformer"
import type { HttpClient } from "../../system/http/http.ts"
import { otlpHeaders } from "./otlp-headers.ts"
import { type Exporter, type ExporterVariables, postJson } from "./post-json.ts"

const METRIC_SECONDS = 10

export const otlpHttpExporter = (url: string, http: HttpClient, variables: ExporterVariables): Exporter => {
  const headers = otlpHeaders(variables)
  const post = (path: string, body: Uint8Array | undefined) =>
    postJson({ url: `${url}${path}`, body: new Uint8Array(body ?? []), headers, http })
  return {
    logs: (records) => post("/v1/logs", JsonLogsSerializer.serializeRequest([...records])),
    spans: (spans) => post("/v1/traces", JsonTraceSerializer.serializeRequest([...spans])),
    metrics: (metrics) => post("/v1/metrics", JsonMetricsSerializer.serializeRequest(metrics)),
    metricSeconds: METRIC_SECONDS,
    name: url
  }
}
