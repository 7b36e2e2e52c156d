/** OTLP over gRPC, compressed. */
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-grpc"
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-grpc"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc"
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base"
import type { Exporter } from "./exporter.ts"
import { otlpExporter } from "./otlp.ts"

export const otlpGrpcExporter = (url: string, timeoutMillis: number): Exporter => {
  const options = { url, timeoutMillis, compression: CompressionAlgorithm.GZIP }
  return otlpExporter(url, {
    logs: new OTLPLogExporter(options),
    spans: new OTLPTraceExporter(options),
    metrics: new OTLPMetricExporter(options)
  })
}
