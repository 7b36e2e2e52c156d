/**
 * A status line on standard error while a run waits: what it waits for, how long, how to stop it. Only on a terminal,
 * only after a moment, and gone before anything else is written.
 */
import { Effect, Layer, Ref, Schedule } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { elapsedText, spinnerFrame } from "../kernel/status-text.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { activityAfter, beginActivity, type RunActivity } from "../protocol/run-activity.ts"
import { RunWriter } from "./run-writer.ts"
import { Stderr } from "./stderr.ts"

export interface ProgressOptions {
  /** Standard output is the same terminal: the status must not stand in the middle of a line of the answer. */
  readonly sharesScreen: boolean
}

interface Waiting {
  readonly activity: RunActivity
  /** Since when nothing new was told. */
  readonly quietSince: number
  readonly isShown: boolean
  readonly isMidLine: boolean
}

/** Shorter waits are not worth a word. */
const PATIENCE_MS = 600
const TICK = "120 millis"

/** The same writer, with the status line around it. */
export const withProgress = <E, R>(writer: Layer.Layer<RunWriter, E, R>, options: ProgressOptions) =>
  Layer.scoped(
    RunWriter,
    Effect.gen(function* () {
      const inner = yield* RunWriter
      const stderr = yield* Stderr
      const started = yield* monotonicMillis
      const state = yield* Ref.make<Waiting>({
        activity: beginActivity(started),
        quietSince: started,
        isShown: false,
        isMidLine: false
      })
      // The ticking fiber and the events write to one line: never at the same time.
      const turn = yield* Effect.makeSemaphore(1)

      const clear = Effect.flatMap(
        Ref.getAndUpdate(state, (before) => ({ ...before, isShown: false })),
        ({ isShown }) => (isShown ? stderr.status("") : Effect.void)
      )
      const tick = Effect.gen(function* () {
        const now = yield* monotonicMillis
        const waiting = yield* Ref.get(state)
        if (now - waiting.quietSince < PATIENCE_MS || waiting.isMidLine) return
        yield* stderr.status(statusText(waiting.activity, now))
        yield* Ref.set(state, { ...waiting, isShown: true })
      })
      yield* Effect.forkScoped(Effect.repeat(turn.withPermits(1)(tick), Schedule.spaced(TICK)))
      yield* Effect.addFinalizer(() => turn.withPermits(1)(clear))

      return RunWriter.of({
        onEvent: (event) =>
          turn.withPermits(1)(
            Effect.gen(function* () {
              yield* clear
              yield* inner.onEvent(event)
              const now = yield* monotonicMillis
              yield* Ref.update(state, (before) => afterEvent(before, event, now, options))
            })
          ),
        finish: (outcome) =>
          turn.withPermits(1)(
            Effect.gen(function* () {
              yield* clear
              // The ticking fiber lives until the scope closes: what is written from here on is the end.
              yield* Ref.update(state, (before) => ({ ...before, isMidLine: true }))
              yield* inner.finish(outcome)
            })
          )
      })
    })
  ).pipe(Layer.provide(writer))

const afterEvent = (before: Waiting, event: ProtocolEvent, now: number, options: ProgressOptions): Waiting => {
  const activity = activityAfter(before.activity, event, now)
  const isText = event._tag === "Text"
  const isSame = !isText && activity.what === before.activity.what
  return {
    activity,
    quietSince: isSame ? before.quietSince : now,
    isShown: before.isShown,
    isMidLine: isText ? options.sharesScreen && !event.text.endsWith("\n") : isSame && before.isMidLine
  }
}

/** Short enough for a narrow terminal: a status that wraps cannot be wiped. */
const LATEST_LENGTH = 30
const WHAT_LENGTH = 45

const statusText = ({ latest, since, what }: RunActivity, now: number): string => {
  const elapsed = now - since
  const news = latest === undefined || latest === "" ? "" : ` · ${latest.slice(0, LATEST_LENGTH)}`
  return `${spinnerFrame(elapsed, { unicode: true })} ${what.slice(0, WHAT_LENGTH)} · ${elapsedText(elapsed)} · Ctrl-C to cancel${news}`
}
