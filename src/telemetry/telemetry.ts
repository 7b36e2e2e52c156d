/**
 * What the program tells about itself, where somebody asked for it: records, counts and measurements under the names of
 * the tables beside this file. Off, it is nothing at all: no code is loaded and nothing is computed for it.
 */
import { Context, Effect } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import type { Activity } from "./activity.ts"
import type { LogName } from "./event-table.ts"
import type { CounterName, HistogramName } from "./metric-table.ts"

export type AttributeValue = string | number | boolean | ReadonlyArray<string>
/** Those that are `undefined` are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

/** How much may be told. */
export interface TelemetryLevel {
  readonly logPrompts: boolean
  readonly traces: boolean
}

export interface LogEntry {
  readonly name: LogName
  /** A short sentence for people. */
  readonly body: string
  readonly attributes: Attributes
  /** When it happened, in nanoseconds, where that was before it could be told. */
  readonly at?: bigint
}

export interface Recording {
  /** `undefined`: off. Whoever would have to compute something for a record asks first. */
  readonly level: TelemetryLevel | undefined
  /** Where telemetry goes, for people; usage statistics have an address of their own. */
  readonly destination?: string
  /** Attributes that hold texts of people or models are left out where the level does not allow them. */
  readonly log: (entry: LogEntry) => Effect.Effect<void>
  readonly count: (name: CounterName, attributes?: Attributes, by?: number) => Effect.Effect<void>
  readonly measure: (name: HistogramName, value: number, attributes?: Attributes) => Effect.Effect<void>
  /** Something goes on: from time to time it is looked how the program bears it. */
  readonly active: (activity: Activity) => Effect.Effect<void>
  /** Everything recorded so far is on its way when this ends; it never takes longer than a few seconds. */
  readonly flush: Effect.Effect<void>
}

export const off: Recording = {
  level: undefined,
  log: () => Effect.void,
  count: () => Effect.void,
  measure: () => Effect.void,
  active: () => Effect.void,
  flush: Effect.void
}

/** Off wherever nobody put another one in its place: no room has to be given what most runs do not use. */
export class Telemetry extends Context.Reference<Telemetry>()("agent/telemetry/Telemetry", {
  defaultValue: () => off
}) {}

/** Logs one event; nothing where telemetry is off. */
export const logEvent = (name: LogEntry["name"], body: string, attributes: LogEntry["attributes"]) =>
  Effect.flatMap(Telemetry, (telemetry) => telemetry.log({ name, body, attributes }))

/** Measures how long an effect takes, in milliseconds, where somebody wants to know; otherwise it is left alone. */
export const measured =
  (name: HistogramName, attributes: Attributes) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Telemetry, ({ level, measure }) =>
      level === undefined
        ? effect
        : Effect.flatMap(monotonicMillis, (since) =>
            Effect.ensuring(
              effect,
              Effect.flatMap(monotonicMillis, (now) => measure(name, now - since, attributes))
            )
          )
    )

/**
 * A request over HTTP as a span of its own, in the words of OpenTelemetry. Off, the request is left alone.
 * What stands behind the path of an address is not told: it may hold a key.
 */
export const httpSpan =
  (method: "GET" | "POST", address: string | URL) =>
  <A extends { readonly status: number }, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Telemetry, ({ level }) => {
      if (level === undefined) return request
      const { hostname, origin, pathname, port, protocol } = new URL(address)
      return request.pipe(
        Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
        Effect.withSpan(method, {
          kind: "client",
          attributes: {
            "http.request.method": method,
            "server.address": hostname,
            "server.port": port === "" ? (protocol === "http:" ? 80 : 443) : Number(port),
            "url.full": `${origin}${pathname}`
          }
        })
      )
    })
