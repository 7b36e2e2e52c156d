/**
 * Keeps what is recorded before anybody knows whether telemetry is on: a key that is looked for, a person who signs in.
 * It is told when telemetry begins, with the time at which it happened, and forgotten where telemetry is off.
 */
import { Clock, Effect } from "effect"
import { record, type Signal } from "./signal.ts"
import { off, type Recording } from "./telemetry.ts"

export interface EarlyRecording {
  readonly recording: Recording
  readonly isEmpty: () => boolean
  /** Tells what was kept, once. */
  readonly replay: (to: Recording) => Effect.Effect<void>
}

/** More cannot happen before the start; if it does, the oldest goes. */
const MOST = 100

export const makeEarlyRecording = (): EarlyRecording => {
  let kept: ReadonlyArray<Signal> = []
  const keep = (signal: Signal) => {
    kept = [...kept, signal].slice(-MOST)
  }
  return {
    recording: {
      ...off,
      log: (entry) => Effect.map(Clock.currentTimeNanos, (at) => keep({ _tag: "Log", entry: { ...entry, at } })),
      count: (name, attributes = {}, by = 1) => Effect.sync(() => keep({ _tag: "Count", name, attributes, by })),
      measure: (name, value, attributes = {}) => Effect.sync(() => keep({ _tag: "Measure", name, value, attributes }))
    },
    isEmpty: () => kept.length === 0,
    replay: (to) =>
      Effect.suspend(() => {
        const early = kept
        kept = []
        return record(to, early)
      })
  }
}
