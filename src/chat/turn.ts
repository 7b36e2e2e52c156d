/**
 * One turn: a request, its streamed answer as events, and the judgement whether the answer can be used. An answer that
 * cannot be used, or whose stream broke, is asked for again as long as the person has seen nothing of it.
 */
import { Clock, Effect, Option, Ref, Stream } from "effect"
import { type GenerationConfig, ModelClient, type ModelEvent } from "../model/model-client.ts"
import type { Content } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { PromptId } from "../protocol/ids.ts"
import { NO_USAGE } from "../protocol/usage.ts"
import type { ModelError } from "../retry/model-error.ts"
import { type Answer, addChunk, emptyAnswer } from "./answer.ts"
import { describeFault, findFault, maxAttemptsFor, retryNote } from "./answer-check.ts"
import { InvalidAnswer } from "./chat-error.ts"
import { chunkEvents, nameCalls } from "./chunk-events.ts"
import { finishNotice } from "./finish-notice.ts"

export type Emit = (event: ProtocolEvent) => Effect.Effect<void>

export interface TurnRequest {
  readonly contents: ReadonlyArray<Content>
  readonly systemInstruction: string
  readonly promptId: PromptId
  /** The request carries tool results: the model may have nothing to add. */
  readonly afterTools: boolean
  /** Nobody sees text before the run ends, so an attempt may be dropped even after text arrived. */
  readonly restartable: boolean
  /** Asked for every piece of visible text before it is shown; `true` ends the answer. */
  readonly isChant: (text: string) => boolean
  readonly configFor: (attempt: { readonly isRetry: boolean }) => {
    readonly model: string
    readonly config: GenerationConfig
  }
}

export interface TurnResult {
  readonly answer: Answer
  /** The model repeated itself, and the answer was stopped. */
  readonly isChant: boolean
}

const MAX_BROKEN_STREAMS = 4

export const runTurn = Effect.fn("Chat.turn")(function* (request: TurnRequest, emit: Emit) {
  let note: string | undefined
  for (let attempt = 1; ; attempt++) {
    const result = yield* runAttempt(request, { isRetry: attempt > 1, note }, emit)
    const mayRestart = request.restartable || !result.shown
    if (result.broken !== undefined) {
      if (!(mayRestart && canReopen(result.broken) && attempt < MAX_BROKEN_STREAMS)) return yield* result.broken
      note = undefined
      yield* restart(attempt, result.broken.message, emit)
      continue
    }
    if (result.isChant) {
      yield* emit({ _tag: "TurnRestarted", reason: "the answer repeated itself" })
      return { answer: result.answer, isChant: true } satisfies TurnResult
    }
    const fault = findFault(result.answer, request)
    if (fault === undefined) {
      const notice = finishNotice(result.answer.finishReason ?? "")
      if (notice !== undefined) yield* emit({ _tag: "Notice", severity: "warning", message: notice })
      return { answer: result.answer, isChant: false } satisfies TurnResult
    }
    yield* emit({ _tag: "AnswerRejected", model: result.model, role: "main", kind: fault })
    const detail = describeFault(fault, result.answer)
    if (!mayRestart || attempt >= maxAttemptsFor(fault)) return yield* new InvalidAnswer({ kind: fault, detail })
    note = retryNote(fault)
    yield* restart(attempt, detail, emit)
  }
})

interface AttemptResult {
  readonly model: string
  readonly answer: Answer
  /** Text of this attempt was emitted. */
  readonly shown: boolean
  readonly isChant: boolean
  readonly broken: ModelError | undefined
}

const runAttempt = Effect.fnUntraced(function* (
  request: TurnRequest,
  attempt: { readonly isRetry: boolean; readonly note: string | undefined },
  emit: Emit
) {
  const client = yield* ModelClient
  const { config, model: asked } = request.configFor({ isRetry: attempt.isRetry })
  /** Another model may take over before the answer begins. */
  const answering = yield* Ref.make(asked)
  const answer = yield* Ref.make(emptyAnswer)
  const since = yield* Ref.make(yield* Clock.currentTimeMillis)
  const elapsed = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.map(Ref.getAndSet(since, now), (before) => now - before)
  )

  const failed = Effect.fnUntraced(function* (error: ModelError) {
    const model = yield* Ref.get(answering)
    yield* emit({ _tag: "RequestFailed", model, role: "main", durationMs: yield* elapsed, errorType: error.errorType })
  })
  /** True when the answer must end here. */
  const onEvent = Effect.fnUntraced(function* (event: ModelEvent) {
    if (event._tag === "ModelReplaced") {
      const { error, from, to } = event
      if (error !== undefined) {
        yield* failed(error)
        const message = `${to} answers in place of ${from}: ${error.message}`
        yield* emit({ _tag: "Notice", severity: "warning", message })
        yield* emit({ _tag: "ModelChosen", model: to })
      }
      yield* Ref.set(answering, to)
      return false
    }
    if (event._tag === "RetryScheduled") {
      yield* failed(event.error)
      yield* emit({
        _tag: "RetryScheduled",
        model: yield* Ref.get(answering),
        attempt: event.attempt,
        maxAttempts: event.maxAttempts,
        delayMs: event.delayMs,
        reason: event.error.message
      })
      yield* Ref.set(since, (yield* Clock.currentTimeMillis) + event.delayMs)
      return false
    }
    const calls = yield* nameCalls(event.chunk)
    yield* Ref.update(answer, (before) => addChunk(before, event.chunk, calls))
    const events = chunkEvents(event.chunk, calls)
    if (events.some((said) => said._tag === "Text" && request.isChant(said.text))) return true
    yield* Effect.forEach(events, emit, { discard: true })
    return false
  })

  const end = yield* client
    .stream({
      model: asked,
      contents: request.contents,
      systemInstruction: [request.systemInstruction, attempt.note].filter((text) => text !== undefined).join("\n\n"),
      config,
      role: "main",
      promptId: request.promptId
    })
    .pipe(
      Stream.mapEffect(onEvent),
      Stream.filter((isChant) => isChant),
      Stream.runHead,
      Effect.map((chant) => ({ isChant: Option.isSome(chant), broken: undefined })),
      Effect.catchTag("ModelError", (error) => Effect.as(failed(error), { isChant: false, broken: error }))
    )
  const collected = yield* Ref.get(answer)
  const model = yield* Ref.get(answering)
  if (end.broken === undefined) yield* reportEnd(collected, { model, durationMs: yield* elapsed }, emit)
  return { ...end, model, answer: collected, shown: collected.text !== "" } satisfies AttemptResult
})

const reportEnd = Effect.fnUntraced(function* (
  answer: Answer,
  request: { readonly model: string; readonly durationMs: number },
  emit: Emit
) {
  if (answer.citations.size > 0) {
    yield* emit({ _tag: "Citation", text: ["Citations:", ...[...answer.citations].sort()].join("\n") })
  }
  yield* emit({
    _tag: "RequestFinished",
    model: answer.modelVersion ?? request.model,
    role: "main",
    durationMs: request.durationMs,
    usage: answer.usage ?? NO_USAGE
  })
  if (answer.finishReason !== undefined) yield* emit({ _tag: "TurnFinished", reason: answer.finishReason })
})

/** Failures before the first chunk were retried where the connection is made; only a body that broke is left. */
const canReopen = (error: ModelError): boolean => error.phase === "body" && error.isRetryable

const restart = Effect.fnUntraced(function* (attempt: number, reason: string, emit: Emit) {
  yield* emit({ _tag: "TurnRestarted", reason })
  yield* Effect.sleep(`${2 ** (attempt - 1)} seconds`)
})
