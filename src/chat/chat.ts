/**
 * The conversation: its history, and the loop that answers one prompt. The loop is a short generator over named steps;
 * what it does is told in events, what ends it early is a typed error of the stream.
 */
import { Cause, Context, Effect, Exit, Layer, Mailbox, Ref } from "effect"
import { Hooks, type HooksView } from "../hooks/hooks.ts"
import * as Flow from "../kernel/flow.ts"
import { lazy } from "../kernel/lazy.ts"
import type { ModelClient } from "../model/model-client.ts"
import { ModelRouter } from "../model/routing/model-router.ts"
import { SelectedModel } from "../model/selected-model.ts"
import { UtilityModels } from "../model/utility-models.ts"
import type { PromptError } from "../prompt/prompt-error.ts"
import { SystemPrompt } from "../prompt/system-prompt.ts"
import type { Content, Part } from "../protocol/content.ts"
import type { Emit, ProtocolEvent } from "../protocol/event.ts"
import { type PromptEnd, RunReaders } from "../protocol/run-readers.ts"
import { makeTidyMemory } from "../system/memory.ts"
import { ToolScheduler } from "../tools/tool-scheduler.ts"
import type { ChatError } from "./chat-error.ts"
import type { ChatOptions, Prompt } from "./chat-options.ts"
import { type Conversation, makeConversation } from "./conversation.ts"
import type { CompressionReport } from "./history-compaction.ts"
import { type RunHalt, tellHalt } from "./hooks/run-halt.ts"
import { RunBudget } from "./limits/run-budget.ts"
import { LoopGuard } from "./loop-guard/loop-guard.ts"
import { firstMessage, missingOpening } from "./prompt-messages.ts"
import { makeSteps, type PromptRun, type PromptStep } from "./prompt-steps.ts"
import type { OutputContract } from "./structured/output-contract.ts"

export class Chat extends Context.Tag("agent/chat/Chat")<
  Chat,
  {
    /** Answers one prompt, tool rounds included. Interrupting the consumer ends the request and the tools. */
    readonly send: (prompt: Prompt) => Flow.Flow<ProtocolEvent, ChatError | PromptError>
    /** Everything that was said, unusable answers included. */
    readonly history: Effect.Effect<ReadonlyArray<Content>>
    /**
     * Goes on from another conversation: none, an earlier state of this one, or a recorded one. What the API would refuse
     * in it is repaired, and the surroundings of the session are put before it where they are missing.
     */
    readonly replaceHistory: (contents: ReadonlyArray<Content>) => Effect.Effect<void>
    /**
     * Replaces the older part by a snapshot now, whatever the size of the whole (`/compress`). `force`: also where an
     * earlier snapshot came out larger than what it stood for. Requests that this takes are told to `emit`, and the new
     * history where there is one.
     */
    readonly compress: (options: {
      readonly force: boolean
      readonly emit: Emit
    }) => Effect.Effect<CompressionReport, ChatError>
    /** For the rest of the session nobody looks for loops: the person says that there are none. */
    readonly ignoreLoops: Effect.Effect<void>
  }
>() {}

const TURNS_BETWEEN_COLLECTIONS = 25
/** By then the request has gone out, and the model has the word. */
const AFTER_REQUEST = "5 millis"

export const make = (options: ChatOptions) =>
  Effect.gen(function* () {
    const models = yield* Effect.context<ModelClient | UtilityModels>()
    const utility = yield* UtilityModels
    const scheduler = yield* ToolScheduler
    const systemPrompt = yield* SystemPrompt
    const router = yield* ModelRouter
    const selected = yield* SelectedModel
    const budget = yield* RunBudget
    const readers = yield* RunReaders
    const hooks = yield* Hooks
    const conversation = yield* makeConversation(options.room, readers.onHistory)
    const promptCount = yield* Ref.make(0)
    const detectsLoops = yield* Ref.make(options.detectsLoops)
    const tidyMemory = yield* makeTidyMemory(TURNS_BETWEEN_COLLECTIONS)

    const { presumedModel, repeated, takeStep } = makeSteps(options, {
      conversation,
      scheduler,
      systemPrompt,
      router,
      selected,
      budget
    })
    const { history } = conversation
    const nextPromptId = Effect.map(
      Ref.getAndUpdate(promptCount, (count) => count + 1),
      options.promptId
    )
    /** Requests that are made from here on belong to this prompt. */
    const begin = Effect.fnUntraced(function* (offer: Emit) {
      const promptId = yield* nextPromptId
      const emit: Emit = (event) => Effect.flatMap(readers.onEvent(event), offer)
      yield* utility.enter({ promptId, report: emit })
      return { promptId, emit }
    })

    const loop = Effect.fn("Chat.send")(function* (prompt: Prompt, offer: Emit) {
      const { contract } = options
      const { emit: counted, promptId } = yield* begin(offer)
      const structured = contract === undefined ? undefined : yield* beginStructured(contract, counted)
      const emit = structured?.emit ?? counted
      if (prompt.repeats === undefined) {
        yield* conversation.settle
        yield* emit({ _tag: "UserMessage", promptId, text: prompt.text })
      }
      const run: PromptRun = {
        promptId,
        emit,
        text: prompt.text,
        guard: new LoopGuard({ isOn: yield* Ref.get(detectsLoops) }),
        review: structured?.review
      }
      const hidden = yield* scheduler.hidden
      if (hidden.length > 0) yield* emit({ _tag: "ToolsHidden", names: hidden })
      const first = (parts: ReadonlyArray<Part>) =>
        Effect.flatMap(history, (now) =>
          Effect.flatMap(options.news === undefined ? Effect.succeed([]) : options.news(now.contents), (news) =>
            firstMessage(now, [...news, ...parts], systemPrompt.sessionContext)
          )
        )
      const around = yield* makePromptHooks({ hooks, parts: prompt.parts, emit, conversation, first })
      const said: Array<string> = []
      let chosen: PromptStep["chosen"] | undefined
      let message = prompt.repeats === undefined ? yield* around.begin : yield* repeated(prompt.repeats, run)
      while (message !== undefined) {
        yield* Effect.fork(Effect.delay(tidyMemory, AFTER_REQUEST))
        const step: PromptStep = yield* takeStep(message, { prompt, run, chosen })
        chosen = step.chosen
        said.push(step.said)
        message = step.next ?? (yield* around.end(said))
      }
    })

    const compress = Effect.fn("Chat.compress")(function* (force: boolean, offer: Emit) {
      const { emit } = yield* begin(offer)
      const model = yield* presumedModel
      yield* budget.check(model)
      return yield* conversation.compress({ model, sessionContext: systemPrompt.sessionContext, emit, force })
    })

    const replaceHistory = Effect.fnUntraced(function* (contents: ReadonlyArray<Content>) {
      const { repairHistory } = yield* lazy(() => import("./repair-history.ts"))
      const repaired = repairHistory(contents)
      const opening = yield* missingOpening(repaired, systemPrompt.sessionContext)
      yield* conversation.replace([...opening, ...repaired])
    })

    return Chat.of({
      send: (prompt) =>
        Flow.unwrapScoped(
          Effect.gen(function* () {
            // Bounded: a slow reader slows the reading of the model's answer, and memory stays flat.
            const events = yield* Mailbox.make<ProtocolEvent, ChatError | PromptError>({ capacity: 64 })
            let isRead = true
            const emit: Emit = (event) => {
              if (isRead) return Effect.asVoid(events.offer(event))
              return event._tag === "RequestFailed" ? (prompt.afterwards?.(event) ?? Effect.void) : Effect.void
            }
            const answering = loop(prompt, emit).pipe(
              Effect.onExit((exit) => readers.onEnd(promptEnd(exit))),
              Effect.catchTag("RunHalt", (halt) => tellHalt(halt, emit)),
              Effect.provide(models)
            )
            yield* Effect.forkScoped(Mailbox.into(answering, events))
            yield* Effect.addFinalizer(() =>
              Effect.sync(() => {
                isRead = false
              })
            )
            return Flow.fromMailbox(events)
          })
        ),
      history: Effect.map(history, ({ contents }) => contents),
      replaceHistory,
      compress: ({ emit, force }) => Effect.provide(compress(force, emit), models),
      ignoreLoops: Ref.set(detectsLoops, false)
    })
  })

export const layer = (options: ChatOptions) => Layer.effect(Chat, make(options))

const promptEnd = (exit: Exit.Exit<void, ChatError | PromptError | RunHalt>): PromptEnd =>
  Exit.match(exit, {
    onSuccess: () => ({ _tag: "Answered" }),
    onFailure: (cause) =>
      Cause.isInterruptedOnly(cause)
        ? { _tag: "Cancelled" }
        : { _tag: "Failed", message: Cause.prettyErrors(cause)[0]?.message ?? "The prompt could not be answered." }
  })

/** The work on a prompt whose answer must have a form: what is told meanwhile, and who judges the answer. */
const beginStructured = Effect.fnUntraced(function* (contract: OutputContract, emit: Emit) {
  const { makeReview, withoutText } = yield* lazy(() => import("./structured/output-contract.ts"))
  return { emit: withoutText(emit), review: yield* makeReview(contract, emit) }
})

/**
 * The hooks around the work on one prompt: before the model hears of it, and when the model has nothing more to do. A
 * refused answer goes back to the model with the reason, a bounded number of times.
 */
interface PromptHooks {
  /** The first message as it is sent; `undefined` when a hook ended the work. */
  readonly begin: Effect.Effect<Content | undefined>
  /** The next message, where the answer was refused; `undefined` when all is said. */
  readonly end: (said: ReadonlyArray<string>) => Effect.Effect<Content | undefined>
}

interface PromptHooksInput {
  readonly hooks: HooksView
  /** As the model gets it. */
  readonly parts: ReadonlyArray<Part>
  readonly emit: Emit
  readonly conversation: Pick<Conversation, "append" | "clear">
  /** A message that may be the first one of the conversation. */
  readonly first: (parts: ReadonlyArray<Part>) => Effect.Effect<Content>
}

/** A hook that is never content must not keep the model busy for ever. */
const MAX_REJECTIONS = 5

/** Stands for an answer without words. */
const NO_TEXT = "[no response text]"

const makePromptHooks = Effect.fnUntraced(function* (input: PromptHooksInput) {
  const { conversation, emit, hooks } = input
  const rejections = yield* Ref.make(0)
  const prompt = textOf(input.parts)

  const begin = Effect.fnUntraced(function* (parts: ReadonlyArray<Part>, text: string) {
    const message = yield* input.first(parts)
    const start = yield* hooks.beforeAgent(text, emit)
    if (start._tag === "Halt") {
      // Who stops keeps the prompt, who refuses it does not.
      if (start.kind === "stopped") yield* conversation.append(message)
      yield* tellHalt(start, emit)
      return undefined
    }
    return start.context === undefined ? message : { ...message, parts: [...message.parts, { text: start.context }] }
  })

  const end = Effect.fnUntraced(function* (said: ReadonlyArray<string>) {
    const count = yield* Ref.get(rejections)
    const response = joined(said.filter((text) => text !== "")) ?? NO_TEXT
    const verdict = yield* hooks.afterAgent({ prompt, response, isRetry: count > 0 }, emit)
    if (verdict._tag === "Accepted") return undefined
    const { clearsContext: contextCleared, reason } = verdict
    if (verdict._tag === "Stopped") {
      if (contextCleared) yield* conversation.clear
      yield* tellHalt({ kind: "stopped", reason }, emit, { contextCleared })
      return undefined
    }
    if (count >= MAX_REJECTIONS) {
      const message = `AfterAgent hooks refused ${count} answers; the last one is kept although they refuse it as well: ${reason}`
      yield* emit({ _tag: "Notice", severity: "warning", message })
      return undefined
    }
    yield* Ref.set(rejections, count + 1)
    if (contextCleared) yield* conversation.clear
    yield* emit({ _tag: "TurnRestarted", reason: `a hook refused it: ${reason}` })
    yield* emit({ _tag: "Notice", severity: "warning", message: `Agent execution blocked: ${reason}` })
    return yield* begin([{ text: reason }], reason)
  })

  return { begin: begin(input.parts, prompt), end } satisfies PromptHooks
})

/** Nearly always there is one, which can be long: it is not copied. */
const joined = ([only, ...more]: ReadonlyArray<string>): string | undefined =>
  more.length === 0 ? only : [only, ...more].join("\n")

const textOf = (parts: ReadonlyArray<Part>): string => parts.flatMap(({ text }) => text ?? []).join("\n")
