/**
 * The conversation: its history, and the loop that answers one prompt. The loop is a short generator over named steps;
 * what it does is told in events, what ends it early is a typed error of the stream.
 */
import { Cause, Context, Effect, Exit, Layer, Mailbox, Ref, Stream } from "effect"
import { Hooks } from "../hooks/hooks.ts"
import type { GenerationConfig, ModelClient } from "../model/model-client.ts"
import { ModelRouter } from "../model/routing/model-router.ts"
import { SelectedModel } from "../model/selected-model.ts"
import { UtilityModels } from "../model/utility-models.ts"
import type { PromptError } from "../prompt/prompt-error.ts"
import { SystemPrompt } from "../prompt/system-prompt.ts"
import type { Content, Part } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { type PromptId, promptIdOf, type SessionId } from "../protocol/ids.ts"
import type { RequestRole } from "../protocol/usage.ts"
import type { PromptEnd } from "../session/record/history-change.ts"
import { SessionRecorder } from "../session/session-recorder.ts"
import { measured } from "../telemetry/telemetry.ts"
import type { FunctionDeclaration } from "../tools/declaration.ts"
import { type ToolReply, ToolScheduler } from "../tools/tool-scheduler.ts"
import { contentOf } from "./answer.ts"
import type { Emit } from "./attempt.ts"
import type { ChatError } from "./chat-error.ts"
import { modelChoice } from "./choose-model.ts"
import { checkFit } from "./context-window.ts"
import { makeConversation } from "./conversation.ts"
import { sizeOf } from "./history.ts"
import { makePromptHooks } from "./hooks/prompt-hooks.ts"
import { RunHalt, tellHalt } from "./hooks/run-halt.ts"
import { RunBudget } from "./limits/run-budget.ts"
import { runCalls } from "./limits/run-calls.ts"
import { askForProgress } from "./loop-guard/ask-for-progress.ts"
import { CHANT, CHANTED, LoopGuard } from "./loop-guard/loop-guard.ts"
import { REPEATED, reactToLoop } from "./loop-guard/react.ts"
import type { CompressionReport, RoomOptions } from "./make-room.ts"
import { firstMessage, keptResults, missingOpening } from "./prompt-messages.ts"
import { refuseCall } from "./refuse-call.ts"
import { repeatCall } from "./repeat-call.ts"
import { isFunctionResponse } from "./request-contents.ts"
import { spanOf } from "./step-span.ts"
import { beginStructured } from "./structured/begin-structured.ts"
import type { OutputContract, Review } from "./structured/output-contract.ts"
import { followsTools, stopReasonOf, toolMessages } from "./tool-messages.ts"
import { runTurn, type TurnResult } from "./turn.ts"
import { passedLimit, type TurnLimits } from "./turn-limits.ts"

export class Chat extends Context.Tag("agent/chat/Chat")<
  Chat,
  {
    /** Answers one prompt, tool rounds included. Interrupting the consumer ends the request and the tools. */
    readonly send: (prompt: Prompt) => Stream.Stream<ProtocolEvent, ChatError | PromptError>
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
  }
>() {}

export interface Prompt {
  /** As the person gave it. */
  readonly text: string
  /** As the model gets it. */
  readonly parts: ReadonlyArray<Part>
  /** Nothing is asked: this call, with which the conversation ends, is made, and the model goes on from its result. */
  readonly repeats?: string
}

export interface ChatOptions {
  readonly sessionId: SessionId
  /** The parameters of a model that was chosen, from aliases and settings. */
  readonly modelFor: (
    model: string,
    attempt: { readonly isRetry: boolean }
  ) => {
    readonly model: string
    readonly config: GenerationConfig
  }
  readonly maxTurns: TurnLimits
  readonly room: RoomOptions
  readonly detectsLoops: boolean
  /** After an answer without calls a model is asked whether the answer is complete. */
  readonly checksNextSpeaker: boolean
  /** Text is shown only when the run has ended, so an answer may be dropped and asked for again. */
  readonly restartable: boolean
  /** The form that the final answer must have. */
  readonly contract?: OutputContract | undefined
  /** Whom the requests are counted for. */
  readonly role: RequestRole
  /** Asked when calls have run: the work on this prompt is done, and nothing more is sent. */
  readonly isDone?: Effect.Effect<boolean>
}

export const make = (options: ChatOptions) =>
  Effect.gen(function* () {
    const models = yield* Effect.context<ModelClient | UtilityModels>()
    const utility = yield* UtilityModels
    const scheduler = yield* ToolScheduler
    const systemPrompt = yield* SystemPrompt
    const router = yield* ModelRouter
    const selected = yield* SelectedModel
    const budget = yield* RunBudget
    const recorder = yield* SessionRecorder
    const hooks = yield* Hooks
    const conversation = yield* makeConversation(options.room, recorder.onHistory)
    const promptCount = yield* Ref.make(0)

    const { history } = conversation
    const nextPromptId = Effect.map(
      Ref.getAndUpdate(promptCount, (count) => count + 1),
      (count) => promptIdOf(options.sessionId, count)
    )
    /** What is selected stands for the model until one has been chosen. */
    const presumedModel = Effect.map(selected.get, (name) => options.modelFor(name, { isRetry: false }).model)

    /** Everything that happens before a request, in this order. Returns the message that is really sent. */
    const prepare = Effect.fnUntraced(function* (message: Content, model: string, run: PromptRun) {
      const session = yield* budget.countTurn
      const limit = passedLimit({ session, prompt: run.guard.turnCount + 1 }, options.maxTurns)
      if (limit !== undefined) return yield* limit
      yield* budget.check(model)
      const { sessionContext } = systemPrompt
      const made = yield* conversation.makeRoom({ model, sessionContext, emit: run.emit })
      // Making room may have cost something.
      yield* budget.check(model)
      yield* checkFit(message, { model, usedTokens: sizeOf(made) })
      return run.guard.startsTurn() ? yield* askForProgress(message, made.contents, run) : message
    })

    const assemble = (model: string) =>
      Effect.gen(function* () {
        const declarations = yield* scheduler.declarations(model)
        const tools = declarations.map(({ name }) => name)
        return { declarations, systemInstruction: yield* systemPrompt.instruction({ model, tools }) }
      }).pipe(measured("gemini_cli.api.request.breakdown", { model, phase: "request_preparation" }))

    /** One request with its answer in the history; a question that got no answer leaves the history again. */
    const answerTo = Effect.fnUntraced(function* (message: Content, model: string, run: PromptRun) {
      const before = yield* history
      yield* conversation.append(message)
      const { declarations, systemInstruction } = yield* assemble(model)
      yield* Effect.forEach(yield* systemPrompt.takeWarnings, (warning) =>
        run.emit({ _tag: "Notice", severity: "warning", message: warning })
      )
      const turn = yield* runTurn(
        {
          contents: yield* conversation.requestContents,
          systemInstruction: [systemInstruction, ...asList(options.contract?.instruction)].join("\n\n"),
          promptId: run.promptId,
          role: options.role,
          afterTools: followsTools(message),
          restartable: options.restartable || options.contract !== undefined,
          configFor: (attempt) => withTools(options.modelFor(attempt.model ?? model, attempt), declarations),
          isChant: (text) => run.guard.hears(text)
        },
        run.emit
      ).pipe(Effect.onError(() => (isFunctionResponse(message) ? Effect.void : conversation.update(() => before))))
      const content = contentOf(turn.answer, turn.isChant ? CHANTED : undefined)
      yield* conversation.answer(content, turn.answer.usage?.promptTokenCount ?? 0)
      return turn
    })

    /**
     * The last of the messages that results make; the others stand in the history already. All do, where the work is
     * done or a hook wants the end.
     */
    const told = Effect.fnUntraced(function* (replies: ReadonlyArray<ToolReply>) {
      const messages = toolMessages(replies)
      const reason = stopReasonOf(replies)
      const isDone = reason !== undefined || (yield* options.isDone ?? Effect.succeed(false))
      yield* conversation.append(...(isDone ? messages : messages.slice(0, -1)))
      if (reason !== undefined) return yield* new RunHalt({ kind: "stopped", reason })
      return isDone ? undefined : messages.at(-1)
    })

    /** What is sent next: results of tools, a word to go on or to step back. `undefined` when all is said. */
    const followUp = Effect.fnUntraced(function* ({ answer, isChant }: TurnResult, run: PromptRun) {
      const finding = isChant ? CHANT : run.guard.findsCycle(answer.calls)
      if (finding !== undefined) {
        const refused = yield* Effect.forEach(answer.calls, (call) => refuseCall(call, REPEATED, run.emit))
        const text = yield* reactToLoop(finding, run)
        return { role: "user", parts: [...refused.flatMap(({ parts }) => parts), { text }] } satisfies Content
      }
      if (answer.calls.length > 0) return yield* told(yield* runCalls(answer.calls, { scheduler, budget }, run.emit))
      if (run.review !== undefined) return yield* run.review(answer.text)
      if (!options.checksNextSpeaker) return undefined
      const { GO_ON, nextSpeaker } = yield* Effect.promise(() => import("./next-speaker.ts"))
      return (yield* nextSpeaker((yield* history).contents, {
        promptId: run.promptId,
        finishReason: answer.finishReason
      })) === "model"
        ? GO_ON
        : undefined
    })

    /** The result of a call that is made once more. */
    const repeated = Effect.fnUntraced(function* (callId: string, { emit }: PromptRun) {
      const replies = yield* repeatCall((yield* history).contents, callId, { scheduler, budget, emit })
      return replies.length === 0 ? undefined : yield* told(replies)
    })

    const chooseModel = modelChoice({ router, budget, conversation, modelFor: options.modelFor })

    /** Requests that are made from here on belong to this prompt. */
    const begin = Effect.fnUntraced(function* (offer: Emit) {
      const promptId = yield* nextPromptId
      const emit: Emit = (event) =>
        Effect.flatMap(budget.record(event), (priced) => Effect.zipRight(recorder.onEvent(priced), offer(priced)))
      yield* utility.enter({ promptId, report: emit })
      return { promptId, emit }
    })

    /** From one message to the next: a request, its answer, and what the answer asks for. */
    const takeStep = (
      message: Content,
      {
        model: known,
        prompt,
        run
      }: { readonly prompt: Prompt; readonly run: PromptRun; readonly model: string | undefined }
    ) =>
      Effect.gen(function* () {
        const sent = yield* Effect.onError(prepare(message, known ?? (yield* presumedModel), run), (cause) =>
          conversation.append(...keptResults(message, cause))
        )
        const model = known ?? (yield* chooseModel(prompt, run.emit))
        const turn = yield* answerTo(sent, model, run)
        return { model, said: turn.answer.text, next: yield* followUp(turn, run) } satisfies Step
      }).pipe(Effect.withSpan(...spanOf(message, run)))

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
        guard: new LoopGuard({ isOn: options.detectsLoops }),
        review: structured?.review
      }
      const hidden = yield* scheduler.hidden
      if (hidden.length > 0) yield* emit({ _tag: "ToolsHidden", names: hidden })
      const first = (parts: ReadonlyArray<Part>) =>
        Effect.flatMap(history, (now) => firstMessage(now, parts, systemPrompt.sessionContext))
      const around = yield* makePromptHooks({ hooks, parts: prompt.parts, emit, conversation, first })
      const said: Array<string> = []
      let model: string | undefined
      let message = prompt.repeats === undefined ? yield* around.begin : yield* repeated(prompt.repeats, run)
      while (message !== undefined) {
        const step: Step = yield* takeStep(message, { prompt, run, model })
        model = step.model
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
      const { repairHistory } = yield* Effect.promise(() => import("./repair-history.ts"))
      const repaired = repairHistory(contents)
      const opening = yield* missingOpening(repaired, systemPrompt.sessionContext)
      yield* conversation.replace([...opening, ...repaired])
    })

    return Chat.of({
      send: (prompt) =>
        Stream.unwrapScoped(
          Effect.gen(function* () {
            // Bounded: a slow reader slows the reading of the model's answer, and memory stays flat.
            const events = yield* Mailbox.make<ProtocolEvent, ChatError | PromptError>({ capacity: 64 })
            const emit: Emit = (event) => Effect.asVoid(events.offer(event))
            const answering = loop(prompt, emit).pipe(
              Effect.onExit((exit) => recorder.onEnd(promptEnd(exit))),
              Effect.catchTag("RunHalt", (halt) => tellHalt(halt, emit)),
              Effect.provide(models)
            )
            yield* Effect.forkScoped(Mailbox.into(answering, events))
            return Mailbox.toStream(events)
          })
        ),
      history: Effect.map(history, ({ contents }) => contents),
      replaceHistory,
      compress: ({ emit, force }) => Effect.provide(compress(force, emit), models)
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

/** The work on one prompt. */
interface PromptRun {
  readonly promptId: PromptId
  readonly text: string
  readonly emit: Emit
  readonly guard: LoopGuard
  /** Judges the final answer, where it must have a form. */
  readonly review: Review | undefined
}

/** What a step came to. */
interface Step {
  readonly model: string
  /** Words of the model for the person. */
  readonly said: string
  /** `undefined` when all is said. */
  readonly next: Content | undefined
}

const asList = (text: string | undefined): ReadonlyArray<string> => (text === undefined ? [] : [text])

const withTools = (request: ReturnType<ChatOptions["modelFor"]>, declarations: ReadonlyArray<FunctionDeclaration>) =>
  declarations.length === 0
    ? request
    : { ...request, config: { ...request.config, tools: [{ functionDeclarations: declarations }] } }
