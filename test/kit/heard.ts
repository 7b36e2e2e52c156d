/** A telemetry that only listens: for tests of what a part tells. */
import { Effect } from "effect"
import { type LogEntry, off, type Recording } from "../../src/telemetry/telemetry.ts"

export const listening = () => {
  const logs: Array<Pick<LogEntry, "name" | "attributes">> = []
  const counts: Array<string> = []
  const recording: Recording = {
    ...off,
    level: { logPrompts: true, traces: true },
    log: ({ attributes, name }) => Effect.sync(() => void logs.push({ name, attributes })),
    count: (name) => Effect.sync(() => void counts.push(name))
  }
  return { logs, counts, recording }
}
