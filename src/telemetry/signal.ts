/** What is to be recorded, as plain data: readers of a run yield it, and it is recorded at one place. */
import { Effect } from "effect"
import type { CounterName, HistogramName } from "./metric-table.ts"
import type { Attributes, LogEntry, Recording } from "./telemetry.ts"

export type Signal =
  | { readonly _tag: "Log"; readonly entry: LogEntry }
  | { readonly _tag: "Count"; readonly name: CounterName; readonly attributes?: Attributes; readonly by?: number }
  | {
      readonly _tag: "Measure"
      readonly name: HistogramName
      readonly value: number
      readonly attributes?: Attributes
    }

export const log = (name: LogEntry["name"], body: string, attributes: Attributes = {}): Signal => ({
  _tag: "Log",
  entry: { name, body, attributes }
})

/** Nothing is counted where there is nothing to count. */
export const count = (name: CounterName, attributes?: Attributes, by = 1): ReadonlyArray<Signal> =>
  by === 0 ? [] : [{ _tag: "Count", name, by, ...(attributes === undefined ? {} : { attributes }) }]

export const measure = (name: HistogramName, value: number, attributes?: Attributes): Signal => ({
  _tag: "Measure",
  name,
  value,
  ...(attributes === undefined ? {} : { attributes })
})

export const record = (to: Recording, signals: ReadonlyArray<Signal>): Effect.Effect<void> =>
  Effect.forEach(signals, (signal) => recordOne(to, signal), { discard: true })

const recordOne = (to: Recording, signal: Signal): Effect.Effect<void> => {
  switch (signal._tag) {
    case "Log":
      return to.log(signal.entry)
    case "Count":
      return to.count(signal.name, signal.attributes, signal.by)
    case "Measure":
      return to.measure(signal.name, signal.value, signal.attributes)
  }
}
