/**
 * Telemetry that is on: records are batched, metrics collected by the official SDK, both handed to the exporter that the
 * plan names. Whatever becomes of it, the run goes on: one warning tells that a collector cannot be reached.
 */

import { ValueType } from "@opentelemetry/api"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics"
import type { ReadableSpan } from "@opentelemetry/sdk-trace"
import { Clock, Effect, Fiber, Schedule, type Scope } from "effect"
import { lazy } from "../kernel/lazy.ts"
import type { HttpClient } from "../system/http/http.ts"
import { makeBatcher } from "./batcher.ts"
import type { Exporter } from "./exporters/exporter.ts"
import type { Variables } from "./exporters/post-json.ts"
import { type CounterName, counters, type HistogramName, histograms, type MetricRow } from "./metric-table.ts"
import { cleaned, logRecord, present, type RecordContext, SCOPE_NAME } from "./records.ts"
import { makeSpanTracer } from "./span-tracer.ts"
import type { Attributes, Recording } from "./telemetry.ts"
import type { Destination, TelemetryPlan } from "./telemetry-plan.ts"

export interface TelemetryIdentity {
  readonly version: string
  readonly sessionId: string
  /** On every record and metric. */
  readonly common: Attributes
  /** Takes credentials out of texts. */
  readonly redact: (text: string) => string
  /** Standard error. */
  readonly notify: (line: string) => Effect.Effect<void>
  readonly write: (text: string) => Effect.Effect<void>
  readonly http: HttpClient
  /** Of the run: they name what receivers want to see. */
  readonly variables: Variables
  /** Asked where Google Cloud is the destination; fails with a reason for people. */
  readonly googleHeaders: Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, string>
}

/** No batch may take longer, in milliseconds. */
const SEND_WITHIN = 5_000
const FLUSH_WITHIN = "3 seconds"

/** Recording ends with the scope, and so do the spans of whoever made it. */
export const make = (plan: TelemetryPlan, identity: TelemetryIdentity): Effect.Effect<Recording, never, Scope.Scope> =>
  Effect.gen(function* () {
    const exporter = yield* exporterFor(plan.destination, identity)
    const warn = yield* Effect.cached(
      identity.notify(`[WARNING] telemetry cannot be delivered to ${exporter.name}; the run goes on without it`)
    )
    const failing = (reason: string) =>
      Effect.zipRight(warn, Effect.annotateLogs(Effect.logDebug("telemetry was not delivered"), { reason }))
    const { common, redact, sessionId, version } = identity
    const resource = resourceFromAttributes({
      "service.name": SCOPE_NAME,
      "service.version": version,
      "session.id": sessionId
    })
    const context = { level: plan, common, redact, resource }
    const batches = { onFailure: failing, sendWithin: SEND_WITHIN }
    const logs = yield* makeBatcher({ ...batches, send: exporter.logs })
    const spans = yield* makeBatcher<ReadableSpan>({ ...batches, send: exporter.spans })
    const metrics = yield* makeMetrics(exporter, context)
    const sendMetrics = metrics.send.pipe(
      Effect.timeoutFail({ duration: SEND_WITHIN, onTimeout: () => "no answer in time" }),
      Effect.catchAll(failing)
    )
    yield* Effect.forkScoped(
      Effect.delay(Effect.repeat(sendMetrics, Schedule.spaced(seconds(exporter))), seconds(exporter))
    )
    const flush = Effect.all([logs.drained, spans.drained, sendMetrics], { concurrency: "unbounded" }).pipe(
      Effect.timeoutFail({ duration: FLUSH_WITHIN, onTimeout: () => "no answer in time" }),
      Effect.catchAll(failing)
    )
    // The scope closes its parts in reverse order: this runs while they still work. A fiber of its own, since whoever
    // closes the scope may have been interrupted, and could not wait with a limit.
    yield* Effect.addFinalizer(() => Effect.flatMap(Effect.forkDaemon(Effect.interruptible(flush)), Fiber.await))
    yield* Effect.withTracerScoped(
      yield* makeSpanTracer({ level: plan, redact, resource, sessionId, export: spans.offer })
    )
    return {
      level: plan,
      destination: exporter.name,
      log: (entry) =>
        Effect.flatMap(Clock.currentTimeNanos, (now) => logs.offer(logRecord(entry, entry.at ?? now, context))),
      count: (name, attributes, by) => Effect.sync(() => metrics.count(name, attributes, by)),
      measure: (name, value, attributes) => Effect.sync(() => metrics.measure(name, value, attributes)),
      active: () => Effect.void,
      flush
    }
  })

const seconds = ({ metricSeconds }: Exporter) => `${metricSeconds} seconds` as const

const exporterFor = (
  destination: Destination,
  { googleHeaders, http, variables, write }: TelemetryIdentity
): Effect.Effect<Exporter> => {
  switch (destination._tag) {
    case "File":
      return Effect.flatMap(
        lazy(() => import("./exporters/file-exporter.live.ts")),
        ({ fileExporter }) => fileExporter(destination.file)
      )
    case "Console":
      return Effect.map(
        lazy(() => import("./exporters/file-exporter.live.ts")),
        ({ consoleExporter }) => consoleExporter(write)
      )
    case "OtlpHttp":
      return Effect.map(
        lazy(() => import("./exporters/otlp-http.live.ts")),
        ({ otlpHttpExporter }) => otlpHttpExporter(destination.url, http, variables)
      )
    case "OtlpGrpc":
      return Effect.map(
        lazy(() => import("./exporters/otlp-grpc.live.ts")),
        ({ otlpGrpcExporter }) => otlpGrpcExporter(destination.url, variables, SEND_WITHIN)
      )
    case "GoogleCloud":
      return Effect.map(
        lazy(() => import("./exporters/google-cloud.live.ts")),
        ({ googleCloudExporter }) =>
          googleCloudExporter({ http, project: destination.project, credentials: googleHeaders, variables })
      )
  }
}

/** Asked for its numbers when they are sent, and not by a timer of its own. */
class OnDemandReader extends MetricReader {
  protected override onForceFlush = () => Promise.resolve()
  protected override onShutdown = () => Promise.resolve()
}

const makeMetrics = (exporter: Exporter, { common, redact, resource }: RecordContext) =>
  Effect.sync(() => {
    const reader = new OnDemandReader()
    const meter = new MeterProvider({ resource, readers: [reader] }).getMeter(SCOPE_NAME)
    const shared = present(common)
    const options = ({ about, isDouble, unit }: MetricRow) => ({
      description: about,
      ...(unit === undefined ? {} : { unit }),
      valueType: isDouble === true ? ValueType.DOUBLE : ValueType.INT
    })
    const counter = memoized((name: CounterName) => meter.createCounter(name, options(counters[name])))
    const histogram = memoized((name: HistogramName) => meter.createHistogram(name, options(histograms[name])))
    const all = (attributes: Attributes = {}) => ({ ...shared, ...cleaned(present(attributes), redact) })
    return {
      count: (name: CounterName, attributes?: Attributes, by = 1) => counter(name).add(by, all(attributes)),
      measure: (name: HistogramName, value: number, attributes?: Attributes) =>
        histogram(name).record(value, all(attributes)),
      send: Effect.flatMap(
        Effect.promise(() => reader.collect()),
        ({ resourceMetrics }) =>
          resourceMetrics.scopeMetrics.length === 0 ? Effect.void : exporter.metrics(resourceMetrics)
      )
    }
  })

const memoized = <Name, Value>(make: (name: Name) => Value): ((name: Name) => Value) => {
  const known = new Map<Name, Value>()
  return (name) => {
    const value = known.get(name) ?? make(name)
    known.set(name, value)
    return value
  }
}
