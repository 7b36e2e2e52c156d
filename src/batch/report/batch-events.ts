/** What happens in a batch as JSON lines for machines (`--events FILE|fd:N`). */
import { closeSync, openSync, writeSync } from "node:fs"
import { DateTime, Effect, type Scope } from "effect"
import { type BatchError, badInput, storageFault } from "../batch-error.ts"
import type { DoneRecord } from "../journal/journal-record.ts"

export interface BatchEvents {
  readonly started: (facts: {
    readonly total: number
    readonly done: number
    readonly output: string
  }) => Effect.Effect<void>
  readonly item: (record: DoneRecord) => Effect.Effect<void>
  readonly progress: (fields: Readonly<Record<string, unknown>>) => Effect.Effect<void>
  readonly finished: (document: Readonly<Record<string, unknown>>) => Effect.Effect<void>
}

const NONE: BatchEvents = {
  started: () => Effect.void,
  item: () => Effect.void,
  progress: () => Effect.void,
  finished: () => Effect.void
}

export const openEvents = (place: string | undefined): Effect.Effect<BatchEvents, BatchError, Scope.Scope> =>
  Effect.gen(function* () {
    if (place === undefined) return NONE
    const descriptor = yield* descriptorOf(place)
    let isBroken = false
    const tell = (type: string, fields: object) =>
      Effect.flatMap(DateTime.now, (now) =>
        Effect.sync(() => {
          if (isBroken) return
          const line = Buffer.from(`${JSON.stringify({ type, timestamp: DateTime.formatIso(now), ...fields })}\n`)
          try {
            for (let done = 0; done < line.length; ) done += writeSync(descriptor, line, done)
          } catch {
            // Whoever listened has gone; the batch is not theirs.
            isBroken = true
          }
        })
      )
    return {
      started: (facts) => tell("batch_started", facts),
      item: ({ attempt, cause, cost, duration_ms, key, model, status, tokens }) =>
        tell("item", { key, status, cause, cost_usd: cost, tokens, duration_ms, model, attempt }),
      progress: (fields) => tell("progress", fields),
      finished: (document) => tell("batch_finished", document)
    } satisfies BatchEvents
  })

const descriptorOf = (place: string): Effect.Effect<number, BatchError, Scope.Scope> => {
  const [, number] = /^fd:(\d+)$/.exec(place) ?? []
  if (number !== undefined) {
    const descriptor = Number(number)
    return Effect.try({
      try: () => {
        writeSync(descriptor, "")
        return descriptor
      },
      catch: () => badInput(`--events ${place}: descriptor ${number} is not open`, `Open it: ${number}>events.jsonl`)
    })
  }
  return Effect.acquireRelease(
    Effect.try({ try: () => openSync(place, "a"), catch: (cause) => storageFault(place, "write", cause) }),
    (descriptor) => Effect.sync(() => closeSync(descriptor))
  )
}
