/**
 * One request to the model: its answer is read to the end, collected and told in events. Whether the answer can be used
 * is decided by the turn.
 */

import { Effect } from "effect"
import { Hooks } from "../hooks/hooks.ts"
import * as Flow from "../kernel/flow.ts"
import { lazy } from "../kernel/lazy.ts"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import {
  type GenerationConfig,
  type ModelChunk,
  ModelClient,
  type ModelEvent,
  type ModelRequest
} from "../model/model-client.ts"
import type { Content } from "../protocol/content.ts"
import type { Emit } from "../protocol/event.ts"
import type { PromptId } from "../protocol/ids.ts"
import { NO_USAGE, type RequestRole } from "../protocol/usage.ts"
import type { ModelError } from "../retry/model-error.ts"
import type { SilenceBudget } from "../retry/silence-budget.ts"
import { type Answer, addChunk, chunkEvents, emptyAnswer, nameCalls, partsOf, textOf } from "./answer.ts"
import type { RunHalt } from "./hooks/run-halt.ts"

export interface AttemptRequest {
  readonly contents: ReadonlyArray<Content>
  readonly systemInstruction: string
  readonly promptId: PromptId
  readonly role: RequestRole
  readonly model: string
  readonly config: GenerationConfig
  /** Model and parameters for another name, which a hook may choose. */
  readonly reconfigured: (model: string) => { readonly model: string; readonly config: GenerationConfig }
  /** Shared by all attempts of a turn. */
  readonly silence?: SilenceBudget
  /** Hears the answer as far as it has come. */
  readonly follow?: (answer: Answer) => void
  /** A call of an earlier answer has this id. */
  readonly hasCall: (callId: string) => boolean
  /** Asked for every piece of visible text before it is shown; `true` ends the answer. */
  readonly isChant: (text: string) => boolean
}

export interface AttemptResult {
  /** The one that answered, or failed to. */
  readonly model: string
  readonly answer: Answer
  /** Text of this attempt was emitted. */
  readonly shown: boolean
  /** The model repeated itself, and the answer was stopped. */
  readonly isChant: boolean
  readonly broken: ModelError | undefined
}

export const runAttempt = Effect.fnUntraced(function* (request: AttemptRequest, emit: Emit) {
  const client = yield* ModelClient
  const { config, contents, promptId, reconfigured, role, systemInstruction } = request
  /** Another model may take over before the answer begins. */
  let { model } = request
  let answer = emptyAnswer
  let since = yield* monotonicMillis
  /** The failure of the request under way was told when it happened: what came of it took time of its own. */
  let isFailureTold = false

  const elapsed = Effect.map(monotonicMillis, (now) => {
    const durationMs = now - since
    since = now
    return durationMs
  })
  const failed = Effect.fnUntraced(function* ({ errorType }: Pick<ModelError, "errorType">) {
    const durationMs = yield* elapsed
    const { modelVersion = model, usage } = answer
    const used = usage === undefined ? {} : { usage }
    if (!isFailureTold) {
      yield* emit({ _tag: "RequestFailed", model: modelVersion, role, durationMs, errorType, ...used })
    }
    isFailureTold = false
  })
  /** What had come was paid for. */
  const cut = Effect.suspend(() => (answer === emptyAnswer ? Effect.void : failed({ errorType: "CANCELLED" })))

  const onNews = Effect.fnUntraced(function* (event: Exclude<ModelEvent, { readonly _tag: "Chunk" }>) {
    const { error } = event
    if (error !== undefined) yield* failed(error)
    switch (event._tag) {
      case "GivenUp":
        isFailureTold = true
        return
      case "ModelReplaced": {
        model = event.to
        if (error === undefined) return
        const message = `${event.to} answers in place of ${event.from}: ${error.message}`
        yield* emit({ _tag: "Notice", severity: "warning", message })
        yield* emit({ _tag: "ModelChosen", model })
        return
      }
      case "RetryScheduled": {
        const { attempt, delayMs, maxAttempts } = event
        const { errorType, message: reason } = event.error
        yield* emit({ _tag: "RetryScheduled", model, attempt, maxAttempts, delayMs, reason, errorType })
        since = (yield* monotonicMillis) + delayMs
      }
    }
  })

  const onChunk = Effect.fnUntraced(function* (chunk: ModelChunk) {
    const calls = yield* nameCalls(chunk, { hasCall: request.hasCall, ofAnswer: answer.calls })
    answer = addChunk(answer, chunk, calls)
    request.follow?.(answer)
    yield* Effect.forEach(chunkEvents(chunk, calls), emit, { discard: true })
  })

  /** True when the answer must end here. */
  const onEvent = (event: ModelEvent) => {
    if (event._tag !== "Chunk") return Effect.as(onNews(event), false)
    return isChant(event.chunk) ? Effect.succeed(true) : Effect.as(onChunk(event.chunk), false)
  }
  const isChant = (chunk: ModelChunk) => {
    const text = textOf(partsOf(chunk))
    return text !== "" && request.isChant(text)
  }

  const opened = yield* openRequest(
    { model, contents, systemInstruction, config, role, promptId, silence: request.silence },
    { client, reconfigured, emit }
  )
  if (opened.model !== model) yield* emit({ _tag: "ModelChosen", model: opened.model })
  model = opened.model
  const reportUse = Effect.fnUntraced(function* (usage = answer.usage ?? NO_USAGE) {
    const durationMs = yield* elapsed
    if (opened.isSynthetic) return
    yield* emit({
      _tag: "RequestFinished",
      model: answer.modelVersion ?? model,
      role,
      durationMs,
      usage,
      ...(answer.responseId === undefined ? {} : { traceId: answer.responseId }),
      ...(answer.citations.size === 0 ? {} : { citations: answer.citations.size }),
      ...(answer.paidCredits === undefined ? {} : { paidCredits: answer.paidCredits })
    })
  })
  const end = yield* Flow.runUntil(opened.events, onEvent).pipe(
    Effect.map((isChant) => ({ isChant, broken: undefined })),
    Effect.onInterrupt(() => cut),
    Effect.catchTag("ModelError", (error) => Effect.as(failed(error), { isChant: false, broken: error })),
    Effect.tapErrorTag("RunHalt", ({ usage }) => reportUse(usage))
  )
  if (end.broken === undefined) {
    if (answer.citations.size > 0) {
      yield* emit({ _tag: "Citation", text: ["Citations:", ...[...answer.citations].sort()].join("\n") })
    }
    yield* reportUse()
    if (answer.finishReason !== undefined) yield* emit({ _tag: "TurnFinished", reason: answer.finishReason })
  }
  return { ...end, model, answer, shown: answer.text !== "" } satisfies AttemptResult
})

export interface OpenedRequest {
  /** That is asked: a hook may have chosen another one. */
  readonly model: string
  readonly events: Flow.Flow<ModelEvent, ModelError | RunHalt>
  /** No model was asked: a hook gave the answer. */
  readonly isSynthetic: boolean
}

export interface OpenRequestOptions {
  readonly client: ModelClient["Type"]
  /** Model and parameters for a name that a hook chose. */
  readonly reconfigured: (model: string) => Pick<ModelRequest, "model" | "config">
  readonly emit: Emit
}

const EVENTS = ["BeforeModel", "BeforeToolSelection", "AfterModel"] as const

/**
 * A request to the model on its way: as it is where no hook listens. The code that lets hooks look at requests and
 * answers is loaded where one does.
 */
const openRequest = Effect.fnUntraced(function* (
  request: ModelRequest,
  options: OpenRequestOptions
): Effect.fn.Return<OpenedRequest, RunHalt> {
  const hooks = yield* Hooks
  const listening = yield* Effect.forEach(EVENTS, (event) => hooks.has(event))
  if (!listening.includes(true)) {
    return { model: request.model, events: options.client.stream(request), isSynthetic: false }
  }
  const { openHooked } = yield* lazy(() => import("./hooks/hooked-request.ts"))
  return yield* openHooked(request, hooks, options)
})
