/** Records in the shape that exporters take, with what may not be told left out. Pure. */
import type { Resource } from "@opentelemetry/resources"
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs"
import { logEvents } from "./event-table.ts"
import type { Attributes, AttributeValue, LogEntry, TelemetryLevel } from "./telemetry.ts"

export const SCOPE_NAME = "gemini-cli"
const scope = { name: SCOPE_NAME }

/** Seconds and nanoseconds, as exporters want them. */
export type HrTime = [number, number]

export const hrTimeOf = (nanoseconds: bigint): HrTime => [
  Number(nanoseconds / 1_000_000_000n),
  Number(nanoseconds % 1_000_000_000n)
]

export interface RecordContext {
  readonly level: TelemetryLevel
  readonly common: Attributes
  /** Takes credentials out of texts. */
  readonly redact: (text: string) => string
  readonly resource: Resource
}

export const logRecord = (
  { attributes, body, name }: LogEntry,
  nanoseconds: bigint,
  { common, level, redact, resource }: RecordContext
): ReadableLogRecord => {
  const hrTime = hrTimeOf(nanoseconds)
  const hidden = level.logPrompts ? [] : (logEvents[name].texts ?? [])
  return {
    hrTime,
    hrTimeObserved: hrTime,
    body: redact(body),
    resource,
    instrumentationScope: scope,
    attributes: {
      ...present(common),
      "event.name": name,
      "event.timestamp": new Date(Number(nanoseconds / 1_000_000n)).toISOString(),
      ...cleaned(present(attributes, hidden), redact)
    },
    droppedAttributesCount: 0
  }
}

/** What is `undefined` or hidden is not there. */
export const present = (
  attributes: Attributes,
  hidden: ReadonlyArray<string> = []
): Record<string, Exclude<AttributeValue, ReadonlyArray<string>> | Array<string>> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined || hidden.includes(name) ? [] : [[name, typeof value === "object" ? [...value] : value]]
    )
  )

/** Without the values of credentials. */
export const cleaned = (
  attributes: ReturnType<typeof present>,
  redact: (text: string) => string
): ReturnType<typeof present> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === "string" ? redact(value) : value])
  )
