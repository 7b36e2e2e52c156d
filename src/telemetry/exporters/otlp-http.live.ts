/** OTLP over HTTP, as JSON. */
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http"
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import type { Exporter } from "./exporter.ts"
import { otlpExporter } from "./otlp.ts"

export const otlpHttpExporter = (url: string, timeoutMillis: number): Exporter =>
  otlpExporter(url, {
    logs: new OTLPLogExporter({ url: `${url}/v1/logs`, timeoutMillis }),
    spans: new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis }),
    metrics: new OTLPMetricExporter({ url: `${url}/v1/metrics`, timeoutMillis })
  })
