/**
 * A status line on standard error while a run waits: what it waits for, how long, how to stop it. Only on a terminal,
 * only after a moment, and gone before anything else is written.
 */
import { Clock, Effect, Layer, Ref, Schedule } from "effect"
import { readableLine, readableText } from "../kernel/readable-text.ts"
import { elapsedText, spinnerFrame } from "../kernel/status-text.ts"
import type { EventOf, ProtocolEvent } from "../protocol/event.ts"
import { RunWriter } from "./run-writer.ts"
import { Stderr } from "./stderr.ts"

export interface ProgressOptions {
  /** Standard output is the same terminal: the status must not stand in the middle of a line of the answer. */
  readonly sharesScreen: boolean
}

interface Waiting {
  readonly what: string
  /** The latest line of a running tool. */
  readonly latest?: string
  readonly since: number
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
      const started = yield* Clock.currentTimeMillis
      const state = yield* Ref.make<Waiting>({ what: "starting", since: started, isShown: false, isMidLine: false })
      // The ticking fiber and the events write to one line: never at the same time.
      const turn = yield* Effect.makeSemaphore(1)

      const clear = Effect.flatMap(
        Ref.getAndUpdate(state, (before) => ({ ...before, isShown: false })),
        ({ isShown }) => (isShown ? stderr.status("") : Effect.void)
      )
      const tick = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const waiting = yield* Ref.get(state)
        const elapsed = now - waiting.since
        if (elapsed < PATIENCE_MS || waiting.isMidLine) return
        const latest = waiting.latest === undefined ? "" : ` · ${waiting.latest}`
        yield* stderr.status(
          `${spinnerFrame(elapsed, { unicode: true })} ${waiting.what} · ${elapsedText(elapsed)} · Ctrl-C to cancel${latest}`
        )
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
              const now = yield* Clock.currentTimeMillis
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
  const waitFor = (what: string): Waiting => ({
    what: readableLine(what).slice(0, WHAT_LENGTH),
    since: now,
    isShown: before.isShown,
    isMidLine: false
  })
  switch (event._tag) {
    case "ModelChosen":
      return waitFor(`waiting for ${event.model}`)
    case "Thought":
      return waitFor(event.subject === "" ? "thinking" : `thinking: ${event.subject}`)
    case "Text":
      return { ...before, what: "answering", since: now, isMidLine: options.sharesScreen && !event.text.endsWith("\n") }
    case "ToolRequested":
      return waitFor(`running ${event.name}`)
    case "ToolProgress":
      return { ...before, latest: lastLine(event.output) }
    case "Subagent":
      return event.event._tag === "ToolStarted" || event.event._tag === "ToolRequested"
        ? { ...before, latest: lastLine(`${event.agent}: ${event.event.name}`) }
        : before
    case "ToolFinished":
      return waitFor("waiting for the model")
    case "HookStarted":
      return waitFor(`running hook ${event.index}/${event.total}: ${event.name}`)
    case "HookFinished":
      return waitFor("waiting")
    case "RetryScheduled":
      return waitFor(`retrying (attempt ${event.attempt + 1} of ${event.maxAttempts})`)
    default:
      event satisfies EventOf<Ignored>
      return before
  }
}

/** Short enough for a narrow terminal: a status that wraps cannot be wiped. */
const LATEST_LENGTH = 30
const WHAT_LENGTH = 45

const lastLine = (output: string): string =>
  readableLine(readableText(output).trimEnd().split("\n").at(-1) ?? "").slice(0, LATEST_LENGTH)

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "UserMessage"
  | "ModelRouted"
  | "Citation"
  | "ToolStarted"
  | "PermissionDenied"
  | "ToolsHidden"
  | "RequestFinished"
  | "RequestFailed"
  | "AnswerRejected"
  | "TurnFinished"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "ChatCompressed"
  | "RunHalted"
  | "Notice"
