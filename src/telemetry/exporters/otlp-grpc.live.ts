/**
 * OTLP over gRPC, compressed: written by the official serializers, sent by the official client. The vendor's exporter
 * looks for that client on the disk, where a single binary has none.
 */
import { Client, compressionAlgorithms, credentials, Metadata } from "@grpc/grpc-js"
import {
  type ISerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer
} from "@opentelemetry/otlp-transformer"
import { Effect } from "effect"
import { otlpHeaders } from "./otlp-headers.ts"
import type { Exporter, ExporterVariables } from "./post-json.ts"

const METRIC_SECONDS = 10

const SERVICES = {
  logs: "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
  spans: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
  metrics: "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
}

/** `url` has a scheme, which says whether the connection is encrypted. */
export const otlpGrpcExporter = (url: string, variables: ExporterVariables, timeoutMillis: number): Exporter => {
  const { host, hostname, port, protocol } = new URL(url)
  const isPlain = protocol === "http:"
  const client = new Client(
    port === "" ? `${hostname}:${isPlain ? 80 : 443}` : host,
    isPlain ? credentials.createInsecure() : credentials.createSsl(),
    { "grpc.default_compression_algorithm": compressionAlgorithms.gzip, "grpc.enable_retries": 0 }
  )
  const metadata = new Metadata()
  for (const [name, value] of otlpHeaders(variables)) metadata.set(name, value)
  const send =
    <Request, Response>(path: string, serializer: ISerializer<Request, Response>) =>
    (request: Request): Effect.Effect<void, string> =>
      Effect.async((resume) => {
        const call = client.makeUnaryRequest(
          path,
          (data: Request) => Buffer.from(serializer.serializeRequest(data) ?? new Uint8Array()),
          (answer) => serializer.deserializeResponse(answer),
          request,
          metadata,
          // Whoever records sets the limit; this one only keeps a call from outliving it.
          { deadline: performance.timeOrigin + performance.now() + timeoutMillis },
          (error) => resume(error === null ? Effect.void : Effect.fail(error.details))
        )
        return Effect.sync(() => call.cancel())
      })
  const logs = send(SERVICES.logs, ProtobufLogsSerializer)
  const spans = send(SERVICES.spans, ProtobufTraceSerializer)
  return {
    logs: (records) => logs([...records]),
    spans: (ended) => spans([...ended]),
    metrics: send(SERVICES.metrics, ProtobufMetricsSerializer),
    metricSeconds: METRIC_SECONDS,
    name: url
  }
}
