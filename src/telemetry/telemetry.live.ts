/**
 * Telemetry that is on: records are batched, metrics collected by the official SDK, both handed to the exporter that the
 * plan names. Whatever becomes of it, the run goes on: one warning tells that a collector cannot be reached.
 */
import { ValueType } from "@opentelemetry/api"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics"
import type { ReadableSpan } from "@opentelemetry/sdk-trace"
import { Chunk, Clock, Deferred, type Duration, Effect, Fiber, Queue, Ref, Schedule, type Scope } from "effect"
import { lazy } from "../kernel/lazy.ts"
import type { HttpClient } from "../system/http/http.ts"
import type { Exporter, ExporterVariables } from "./exporters/post-json.ts"
import { type CounterName, counters, type HistogramName, histograms, type MetricRow } from "./metric-table.ts"
import { cleaned, logRecord, makeSpanTracer, present, type RecordContext, SCOPE_NAME } from "./span-tracer.ts"
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
  readonly variables: ExporterVariables
  /** Asked where Google Cloud is the destination; fails with a reason for people. */
  readonly googleHeaders: Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, string>
}

/** No batch may take longer, in milliseconds. */
const SEND_WITHIN = 5_000
const FLUSH_WITHIN = "3 seconds"

/**
 * Hands records to an exporter in batches, one batch at a time. While the exporter keeps up nothing is lost: whoever
 * records faster than it can send waits. Once it has failed, records that do not fit are dropped instead, since a
 * collector that is down must not slow the run.
 */
interface BatcherOptions<A> {
  /** Fails with a reason for people. */
  readonly send: (batch: ReadonlyArray<A>) => Effect.Effect<void, string>
  /** The first failure; later ones are the same news. */
  readonly onFailure: (reason: string) => Effect.Effect<void>
  readonly sendWithin: Duration.DurationInput
}

interface Batcher<A> {
  readonly offer: (record: A) => Effect.Effect<void>
  /** Ends when everything offered before has been sent or given up. */
  readonly drained: Effect.Effect<void>
}

const CAPACITY = 4096
const BATCH = 512

/** A record, or somebody who waits until everything before has been dealt with. */
type Item<A> = { readonly record: A } | { readonly reached: Deferred.Deferred<void> }

export const makeBatcher = <A>(options: BatcherOptions<A>): Effect.Effect<Batcher<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = yield* Queue.bounded<Item<A>>(CAPACITY)
    const isDown = yield* Ref.make(false)

    const send = (batch: ReadonlyArray<A>) =>
      options.send(batch).pipe(
        Effect.timeoutFail({ duration: options.sendWithin, onTimeout: () => "no answer in time" }),
        Effect.zipRight(Ref.set(isDown, false)),
        Effect.catchAll((reason) =>
          Effect.flatMap(Ref.getAndSet(isDown, true), (wasDown) => (wasDown ? Effect.void : options.onFailure(reason)))
        )
      )

    const sendNext = Effect.gen(function* () {
      const items = Chunk.toReadonlyArray(yield* Queue.takeBetween(waiting, 1, BATCH))
      const records = items.flatMap((item) => ("record" in item ? [item.record] : []))
      if (records.length > 0) yield* send(records)
      for (const item of items) if ("reached" in item) yield* Deferred.succeed(item.reached, undefined)
    })
    yield* Effect.forkScoped(Effect.forever(sendNext))

    return {
      offer: (record) =>
        Effect.flatMap(Ref.get(isDown), (down) =>
          down ? Effect.sync(() => void waiting.unsafeOffer({ record })) : Effect.asVoid(waiting.offer({ record }))
        ),
      drained: Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        yield* waiting.offer({ reached })
        yield* Deferred.await(reached)
      })
    }
  })

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
