/** What telemetry is told when extensions are changed; nothing where it is off. */
import { Effect } from "effect"
import { type LogEntry, Telemetry } from "../telemetry/telemetry.ts"

export const tellOf = (name: LogEntry["name"], body: string, attributes: LogEntry["attributes"]) =>
  Effect.flatMap(Telemetry, (telemetry) => telemetry.log({ name, body, attributes }))
