/** A collector of OTLP on the loopback, over HTTP (JSON) or gRPC (the official protobuf definitions). */
import { resolve } from "node:path"
import { loadPackageDefinition, Server, ServerCredentials, type ServiceClientConstructor } from "@grpc/grpc-js"
import { loadSync } from "@grpc/proto-loader"
import { Predicate, Schema } from "effect"
import type { Attributes, Collected } from "./collected.ts"

export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly collected: () => Collected
}

type Signal = "logs" | "traces" | "metrics"

interface Inbox {
  readonly logs: Array<unknown>
  readonly traces: Array<unknown>
  readonly metrics: Array<unknown>
}

const newInbox = (): Inbox => ({ logs: [], traces: [], metrics: [] })

export const startHttpCollector = (): Collector => {
  const inbox = newInbox()
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const signal = new URL(request.url).pathname.split("/").at(-1)
      if (!isSignal(signal)) return new Response("no such signal", { status: 404 })
      inbox[signal].push(await request.json())
      return Response.json({})
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    collected: () => read(inbox),
    [Symbol.asyncDispose]: () => server.stop(true)
  }
}

const isSignal = (name: string | undefined): name is Signal =>
  name === "logs" || name === "traces" || name === "metrics"

const PROTOS = resolve(import.meta.dir, "../../node_modules/otlp-protos/build/protos")

const SERVICES = [
  ["logs", "logs/v1/logs_service.proto", "opentelemetry.proto.collector.logs.v1.LogsService"],
  ["traces", "trace/v1/trace_service.proto", "opentelemetry.proto.collector.trace.v1.TraceService"],
  ["metrics", "metrics/v1/metrics_service.proto", "opentelemetry.proto.collector.metrics.v1.MetricsService"]
] as const

export const startGrpcCollector = async (): Promise<Collector> => {
  const inbox = newInbox()
  const definition = loadSync(
    SERVICES.map(([, file]) => `opentelemetry/proto/collector/${file}`),
    { includeDirs: [PROTOS], longs: Number, enums: String, bytes: String }
  )
  const packages = loadPackageDefinition(definition)
  const server = new Server()
  for (const [signal, , name] of SERVICES) {
    server.addService(serviceAt(packages, name).service, {
      Export: (call: { readonly request: unknown }, reply: (error: null, answer: object) => void) => {
        inbox[signal].push(call.request)
        reply(null, {})
      }
    })
  }
  const port = await new Promise<number>((settle, fail) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? settle(bound) : fail(error)
    )
  )
  return {
    url: `http://127.0.0.1:${port}`,
    collected: () => read(inbox),
    [Symbol.asyncDispose]: async () => server.forceShutdown()
  }
}

const serviceAt = (root: unknown, path: string): ServiceClientConstructor => {
  const found = path
    .split(".")
    .reduce<unknown>((at, name) => (Predicate.hasProperty(at, name) ? at[name] : undefined), root)
  // The library types what it makes of a file only as a union of everything that can stand in one.
  if (typeof found === "function" && "service" in found) return found as ServiceClientConstructor
  throw new Error(`${path} is not in the definitions`)
}

const many = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(Schema.Array(schema), { default: () => [] })

const KeyValues = many(Schema.Struct({ key: Schema.String, value: Schema.Unknown }))
const Numeric = Schema.Union(Schema.Number, Schema.NumberFromString)
const Points = Schema.Struct({
  dataPoints: many(
    Schema.Struct({
      attributes: KeyValues,
      asInt: Schema.optional(Numeric),
      asDouble: Schema.optional(Schema.Number),
      sum: Schema.optional(Schema.NullOr(Schema.Number))
    })
  )
})
const Metric = Schema.Struct({
  name: Schema.String,
  unit: Schema.optionalWith(Schema.String, { default: () => "" }),
  sum: Schema.optional(Schema.NullOr(Points)),
  histogram: Schema.optional(Schema.NullOr(Points))
})
const Logs = Schema.Struct({
  resourceLogs: many(
    Schema.Struct({
      scopeLogs: many(
        Schema.Struct({ logRecords: many(Schema.Struct({ body: Schema.Unknown, attributes: KeyValues })) })
      )
    })
  )
})
const Spans = Schema.Struct({
  resourceSpans: many(
    Schema.Struct({
      scopeSpans: many(
        Schema.Struct({
          spans: many(
            Schema.Struct({
              name: Schema.String,
              spanId: Schema.String,
              parentSpanId: Schema.optional(Schema.NullOr(Schema.String)),
              attributes: KeyValues
            })
          )
        })
      )
    })
  )
})
const Metrics = Schema.Struct({
  resourceMetrics: many(Schema.Struct({ scopeMetrics: many(Schema.Struct({ metrics: many(Metric) })) }))
})

const read = (inbox: Inbox): Collected => ({
  logs: inbox.logs
    .flatMap((request) => Schema.decodeUnknownSync(Logs)(request).resourceLogs)
    .flatMap(({ scopeLogs }) => scopeLogs)
    .flatMap(({ logRecords }) => logRecords)
    .map(({ attributes, body }) => ({ body: plainValue(body), attributes: plainAttributes(attributes) })),
  spans: inbox.traces
    .flatMap((request) => Schema.decodeUnknownSync(Spans)(request).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ attributes, name, parentSpanId, spanId }) => ({
      name,
      id: spanId,
      parent: parentSpanId || undefined,
      attributes: plainAttributes(attributes)
    })),
  metrics: inbox.metrics
    .flatMap((request) => Schema.decodeUnknownSync(Metrics)(request).resourceMetrics)
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .map(({ histogram, name, sum, unit }) => ({
      name,
      unit,
      points: ((sum ?? histogram)?.dataPoints ?? []).map((point) => ({
        attributes: plainAttributes(point.attributes),
        sum: point.asInt ?? point.asDouble ?? point.sum ?? 0
      }))
    }))
})

const plainAttributes = (pairs: ReadonlyArray<{ readonly key: string; readonly value?: unknown }>): Attributes =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plainValue(value)]))

/** `{ stringValue: "x" }` is `"x"`. */
const plainValue = (value: unknown): unknown => {
  if (!Predicate.isRecord(value)) return value
  const { arrayValue, boolValue, doubleValue, intValue, stringValue } = value
  if (Predicate.isRecord(arrayValue)) return Array.isArray(arrayValue.values) ? arrayValue.values.map(plainValue) : []
  if (intValue !== undefined) return Number(intValue)
  return stringValue ?? boolValue ?? doubleValue
}
