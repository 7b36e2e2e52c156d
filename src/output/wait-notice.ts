/**
 * Where no status line can move: one line on standard error when a run has waited for the model for a while, so that
 * whoever looks into the log of a job knows what it does.
 */
import { Effect, Layer } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { readableLine } from "../kernel/readable-text.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { RunWriter } from "./run-writer.ts"
import { Stderr } from "./stderr.ts"

const PATIENCE_MS = 10_000

/** The same writer, with the notice beside it. */
export const withWaitNotice = <E, R>(writer: Layer.Layer<RunWriter, E, R>) =>
  Layer.scoped(
    RunWriter,
    Effect.gen(function* () {
      const inner = yield* RunWriter
      const { notice } = yield* Stderr
      const scope = yield* Effect.scope
      let model: string | undefined
      /** Since when the model has the word and says nothing; `undefined`: it is not waited for. */
      let since: number | undefined
      let isWatched = false

      /** Once in a run. */
      const watch = Effect.gen(function* () {
        while (true) {
          const waitedMs = since === undefined ? 0 : (yield* monotonicMillis) - since
          if (waitedMs >= PATIENCE_MS) return yield* notice(`[INFO] ${textFor(model)}`)
          yield* Effect.sleep(PATIENCE_MS - waitedMs)
        }
      })

      const follow = Effect.fnUntraced(function* (event: ProtocolEvent) {
        if (event._tag === "ModelChosen") model = event.model
        const turn = turnAfter(event)
        if (turn === undefined) return
        since = turn === "model" ? (since ?? (yield* monotonicMillis)) : undefined
        if (turn !== "model" || isWatched) return
        isWatched = true
        yield* Effect.forkIn(Effect.interruptible(watch), scope)
      })

      return RunWriter.of({
        onEvent: (event) => Effect.zipRight(inner.onEvent(event), follow(event)),
        finish: (outcome) =>
          Effect.suspend(() => {
            since = undefined
            return inner.finish(outcome)
          })
      })
    })
  ).pipe(Layer.provide(writer))

/** Who has the word after this event; `undefined`: as before. */
const turnAfter = (event: ProtocolEvent): "model" | "others" | undefined => {
  switch (event._tag) {
    case "ModelChosen":
    case "ToolFinished":
    case "TurnRestarted":
      return "model"
    case "Text":
    case "Thought":
    case "ToolRequested":
    case "ToolStarted":
    case "HookStarted":
    case "RetryScheduled":
      return "others"
    default:
      return undefined
  }
}

const textFor = (model: string | undefined): string =>
  `still waiting for ${model === undefined ? "the model" : readableLine(model)}: nothing has come for ${PATIENCE_MS / 1000} s (--max-time limits a run)`
