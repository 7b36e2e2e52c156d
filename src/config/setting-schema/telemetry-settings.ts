/** `telemetry`: where traces, logs and metrics go. Every field may be missing; defaults belong to the telemetry room. */
import { Schema } from "effect"
import { Flag, oneOf, optional, Text } from "../setting.ts"

export const TelemetrySettings = Schema.Struct({
  enabled: optional(Flag),
  target: optional(oneOf("local", "gcp")),
  otlpEndpoint: optional(Text),
  otlpProtocol: optional(oneOf("grpc", "http")),
  traces: optional(Flag),
  logPrompts: optional(Flag),
  outfile: optional(Text),
  useCollector: optional(Flag),
  useCliAuth: optional(Flag)
}).annotations({ message: () => "expected true, false or an object" })
export type TelemetrySettings = typeof TelemetrySettings.Type

/** A bare switch is the short form of `{ enabled }`. */
export const switchToObject = (value: unknown): unknown => {
  if (typeof value === "boolean") return { enabled: value }
  if (typeof value !== "string") return value
  const word = value.toLowerCase()
  return word === "true" || word === "false" ? { enabled: word === "true" } : value
}
