/** A chat with a scripted model, for tests of the loop: what the model was sent, and what the readers were told. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, Layer, TestClock } from "effect"
import * as Chat from "../../src/chat/chat.ts"
import type { ChatOptions } from "../../src/chat/chat-options.ts"
import * as RunBudget from "../../src/chat/limits/run-budget.ts"
import * as Flow from "../../src/kernel/flow.ts"
import { type ModelChunk, ModelClient, type ModelRequest } from "../../src/model/model-client.ts"
import * as ModelRouter from "../../src/model/routing/model-router.ts"
import * as SelectedModel from "../../src/model/selected-model.ts"
import * as UtilityModels from "../../src/model/utility-models.ts"
import { withRetry } from "../../src/model/with-retry.ts"
import type { PromptError } from "../../src/prompt/prompt-error.ts"
import { SystemPrompt } from "../../src/prompt/system-prompt.ts"
import type { Part } from "../../src/protocol/content.ts"
import type { ProtocolEvent } from "../../src/protocol/event.ts"
import { promptIdOf, SessionId } from "../../src/protocol/ids.ts"
import * as RunReaders from "../../src/protocol/run-readers.ts"
import { NO_USAGE } from "../../src/protocol/usage.ts"
import * as Availability from "../../src/retry/availability/model-availability.ts"
import { ModelError } from "../../src/retry/model-error.ts"
import * as SessionRecorder from "../../src/session/record/session-recorder.ts"
import { type ToolCall, ToolScheduler } from "../../src/tools/tool-scheduler.ts"

export const runBudget = (...limits: Parameters<typeof RunBudget.make>) =>
  Layer.effect(RunBudget.RunBudget, RunBudget.make(...limits))

/** Costs are counted all the same. */
export const noLimits = runBudget({}, () => undefined)

export const sessionRecorder = (...start: Parameters<typeof SessionRecorder.make>) =>
  Layer.scoped(SessionRecorder.SessionRecorder, SessionRecorder.make(...start))

/** Chunks of an answer, or where it breaks. `"never"`: nothing more comes. */
export type Reply = ReadonlyArray<ModelChunk | ModelError | "never">

export interface Script {
  readonly stream: (request: ModelRequest, index: number) => Reply
  /** Answers of utility models. */
  readonly generate?: (request: ModelRequest) => Effect.Effect<ModelChunk, ModelError>
  readonly countTokens?: Effect.Effect<number, ModelError>
  /** Requests that are refused are sent again, as in a real run. */
  readonly retries?: boolean
  readonly instruction?: Effect.Effect<string, PromptError>
  /** What stands before the first question. */
  readonly context?: string
  /** What a tool answers; an error when absent. */
  readonly tool?: (call: ToolCall) => Effect.Effect<Readonly<Record<string, unknown>>>
  /** Sound and film that a tool found. */
  readonly media?: (call: ToolCall) => ReadonlyArray<Part>
}

export const chunk = (text: string, finishReason?: string): ModelChunk => partsChunk([{ text }], finishReason)

export const partsChunk = (parts: ReadonlyArray<Part>, finishReason?: string, promptTokens?: number): ModelChunk => ({
  candidates: [
    {
      content: { parts: parts.filter((part) => part.text !== "") },
      ...(finishReason === undefined ? {} : { finishReason })
    }
  ],
  ...(promptTokens === undefined ? {} : { usageMetadata: { ...NO_USAGE, promptTokenCount: promptTokens } })
})

export const callChunk = (name: string, args: Readonly<Record<string, unknown>> = {}, promptTokens?: number) =>
  partsChunk([{ functionCall: { name, args } }], "STOP", promptTokens)

export const broken = (phase: "open" | "body") =>
  new ModelError({ kind: "network", detail: "connection reset", phase, errorType: "ECONNRESET" })

/** One reply after the other, then empty ones. */
export const inTurn =
  (replies: ReadonlyArray<Reply>): Script["stream"] =>
  (_, index) =>
    replies[index] ?? []

export const chatOptions: ChatOptions = {
  promptId: (count) => promptIdOf(SessionId.make("s"), count),
  modelFor: (model, { isRetry }) => ({ model, config: { temperature: isRetry ? 1 : 0 } }),
  role: "main",
  maxTurns: { session: undefined, prompt: undefined },
  room: {
    compressionThreshold: 0.5,
    truncateThreshold: 40_000,
    outputDir: join(tmpdir(), "gemini-chat-room"),
    masking: { protectionThresholdTokens: 50_000, minPrunableThresholdTokens: 30_000, protectLatestTurn: true }
  },
  detectsLoops: true,
  checksNextSpeaker: false,
  restartable: false,
  maxAttempts: 10
}

const RETRIES = { maxAttempts: 10, retryFetchErrors: true, deadline: Effect.succeedNone }

/** A chat on this script, and every request that it makes, in order. */
export const chatRoom = (
  script: Script,
  changed: Partial<ChatOptions> = {},
  budget: Layer.Layer<RunBudget.RunBudget> = noLimits,
  recorder: Layer.Layer<SessionRecorder.SessionRecorder> = SessionRecorder.layerNone
) => {
  const requests: Array<ModelRequest> = []
  const questions: Array<ModelRequest> = []
  const scripted = ModelClient.of({
    stream: (request) => {
      const reply = script.stream(request, requests.push(request) - 1)
      return Flow.fromArray(reply).pipe(
        Flow.mapConcatEffect((item) => {
          if (item === "never") return Effect.never
          return item instanceof ModelError
            ? Effect.fail(item)
            : Effect.succeed([{ _tag: "Chunk", chunk: item } as const])
        })
      )
    },
    generate: (request) => {
      questions.push(request)
      return script.generate?.(request) ?? Effect.die("no utility model is expected to be asked")
    },
    countTokens: () => script.countTokens ?? Effect.die("nobody is expected to count tokens"),
    embed: () => Effect.die("not used")
  })
  const client = Layer.succeed(ModelClient, script.retries === true ? withRetry(scripted, RETRIES) : scripted)
  const tools = Layer.succeed(ToolScheduler, {
    hidden: Effect.succeed([]),
    declarations: () => Effect.succeed([]),
    run: (calls, emit, onReply) =>
      Effect.forEach(calls, (call) =>
        Effect.gen(function* () {
          const { callId, name } = call
          const response = yield* script.tool?.(call) ?? Effect.succeed({ error: "no" })
          const parts = [{ functionResponse: { id: callId, name, response } }]
          const reply = { callId, parts, injected: script.media?.(call) ?? [] }
          onReply?.(reply)
          yield* emit({ _tag: "ToolFinished", callId, name, status: "error", output: "no", durationMs: 0 })
          return reply
        })
      )
  })
  const options = { ...chatOptions, ...changed }
  const utility = UtilityModels.layer((alias) => ({ model: alias, config: {} }), options.promptId(0))
  const prompts = Layer.succeed(SystemPrompt, {
    instruction: () => script.instruction ?? Effect.succeed("be good"),
    sessionContext: Effect.succeed(script.context ?? "context"),
    takeWarnings: Effect.succeed([])
  })
  const around = Layer.mergeAll(
    client,
    utility,
    prompts,
    tools,
    Layer.succeed(ModelRouter.ModelRouter, {
      route: () =>
        Effect.succeed({ model: "m", source: "agent-router/override", latencyMs: 0, reasoning: "the model is settled" })
    }),
    Layer.provide(SelectedModel.layer("m"), Availability.layer),
    budget,
    RunReaders.layer(RunBudget.RunBudget, SessionRecorder.SessionRecorder).pipe(
      Layer.provide(Layer.mergeAll(budget, recorder))
    )
  )
  const layer = Chat.layer(options).pipe(Layer.provide(around))
  return { layer, requests, questions }
}

/** Sends one prompt and collects its events. */
export const send = (text: string, events: Array<ProtocolEvent>) =>
  Effect.flatMap(Chat.Chat, (chat) =>
    chat.send({ text, parts: [{ text }] }).pipe(Flow.runForEach((event) => Effect.sync(() => void events.push(event))))
  )

/** Sends one prompt; retries wait on the test clock, which is moved on until the run has ended. */
export const ask = (
  script: Script,
  changed: Partial<ChatOptions> = {},
  budget: Layer.Layer<RunBudget.RunBudget> = noLimits
) =>
  Effect.gen(function* () {
    const events: Array<ProtocolEvent> = []
    const { layer, questions, requests } = chatRoom(script, changed, budget)
    const fiber = yield* send("hi", events).pipe(Effect.provide(layer), Effect.either, Effect.fork)
    yield* TestClock.adjust("10 minutes")
    const result = yield* Fiber.join(fiber)
    return { requests, questions, events, tags: events.map((event) => event._tag), result }
  })
