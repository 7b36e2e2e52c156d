/**
 * The steps of the loop that answers one prompt: what happens before a request, the request with its answer, and what the
 * answer asks for. They know the services of the chat; the loop itself knows only their order.
 */
import { Cause, Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import type { ModelRouter } from "../model/routing/model-router.ts"
import type { SelectedModel } from "../model/selected-model.ts"
import type { SystemPrompt } from "../prompt/system-prompt.ts"
import type { Content } from "../protocol/content.ts"
import type { Emit } from "../protocol/event.ts"
import type { PromptId } from "../protocol/ids.ts"
import { measured } from "../telemetry/telemetry.ts"
import type { FunctionDeclaration } from "../tools/declaration.ts"
import type { ToolCall, ToolReply, ToolScheduler } from "../tools/tool-scheduler.ts"
import { type Answer, contentOf, emptyAnswer, interruptedAnswer } from "./answer.ts"
import { type ChatOptions, type Prompt, passedLimit } from "./chat-options.ts"
import { checkFit } from "./context-window.ts"
import type { Conversation } from "./conversation.ts"
import { sizeOf } from "./history.ts"
import { RunHalt } from "./hooks/run-halt.ts"
import type { RunBudget } from "./limits/run-budget.ts"
import { refuseCall, repeatCall, runCalls } from "./limits/run-calls.ts"
import { askForProgress, CHANT, CHANTED, type LoopGuard, REPEATED, reactToLoop } from "./loop-guard/loop-guard.ts"
import { keptResults } from "./prompt-messages.ts"
import { isFunctionResponse } from "./request-contents.ts"
import type { Review } from "./structured/output-contract.ts"
import { followsTools, repliesSoFar, stopReasonOf, toolMessages } from "./tool-messages.ts"
import { runTurn, type TurnResult } from "./turn.ts"

export interface StepServices {
  readonly conversation: Conversation
  readonly scheduler: ToolScheduler["Type"]
  readonly systemPrompt: SystemPrompt["Type"]
  readonly router: ModelRouter["Type"]
  readonly selected: SelectedModel["Type"]
  readonly budget: RunBudget["Type"]
}

/** The work on one prompt. */
export interface PromptRun {
  readonly promptId: PromptId
  readonly text: string
  readonly emit: Emit
  readonly guard: LoopGuard
  /** Judges the final answer, where it must have a form. */
  readonly review: Review | undefined
}

/**
 * The model of a prompt. The name may be a preset of the person's own: its parameters belong to it, not to the model that
 * it stands for, so requests are configured by the name.
 */
export interface ChosenModel {
  readonly name: string
  /** What is sent for it. */
  readonly model: string
}

/** What a step came to. */
export interface PromptStep {
  readonly chosen: ChosenModel
  /** Words of the model for the person. */
  readonly said: string
  /** `undefined` when all is said. */
  readonly next: Content | undefined
}

export const makeSteps = (options: ChatOptions, services: StepServices) => {
  const { budget, conversation, router, scheduler, selected, systemPrompt } = services
  const { history } = conversation
  /** What is selected stands for the model until one has been chosen. */
  const presumedModel = Effect.map(selected.get, (name) => options.modelFor(name, { isRetry: false }).model)

  /** The older part becomes a snapshot, although the threshold was not reached. `undefined`: there was nothing to gain. */
  const shortened = Effect.fnUntraced(function* (model: string, { emit }: PromptRun) {
    const { sessionContext } = systemPrompt
    const { status } = yield* conversation.compress({ model, sessionContext, emit, force: false })
    yield* budget.check(model)
    if (status !== "COMPRESSED" && status !== "CONTENT_TRUNCATED") return undefined
    yield* emit({
      _tag: "Notice",
      severity: "warning",
      message: `The conversation is too long for ${model}: it is compressed, and the request is made once more.`
    })
    return yield* history
  })

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
    yield* checkFit(message, { model, usedTokens: sizeOf(made) }).pipe(
      Effect.catchTag("ContextOverflow", (error) =>
        Effect.flatMap(shortened(model, run), (now) =>
          now === undefined ? error : checkFit(message, { model, usedTokens: sizeOf(now) })
        )
      )
    )
    return run.guard.startsTurn() ? yield* askForProgress(message, made.contents, run) : message
  })

  const assemble = (model: string) =>
    Effect.gen(function* () {
      const declarations = yield* scheduler.declarations(model)
      const tools = declarations.map(({ name }) => name)
      return { declarations, systemInstruction: yield* systemPrompt.instruction({ model, tools }) }
    }).pipe(measured("gemini_cli.api.request.breakdown", { model, phase: "request_preparation" }))

  const ask = Effect.fnUntraced(function* (
    message: Content,
    { model, name }: ChosenModel,
    run: PromptRun,
    follow: (answer: Answer) => void
  ) {
    yield* conversation.append(message)
    const { declarations, systemInstruction } = yield* assemble(model)
    yield* Effect.forEach(yield* systemPrompt.takeWarnings, (warning) =>
      run.emit({ _tag: "Notice", severity: "warning", message: warning })
    )
    const turn = Effect.flatMap(conversation.requestContents, (contents) =>
      runTurn(
        {
          contents,
          systemInstruction: [systemInstruction, ...asList(options.contract?.instruction)].join("\n\n"),
          promptId: run.promptId,
          role: options.role,
          afterTools: followsTools(message),
          restartable: options.restartable || options.contract !== undefined,
          maxAttempts: options.maxAttempts,
          configFor: (attempt) => withTools(options.modelFor(attempt.model ?? name, attempt), declarations),
          hasCall: conversation.hasCall,
          isChant: (text) => run.guard.hears(text),
          follow
        },
        run.emit
      )
    )
    // The service counts better than we do, and has the last word.
    return yield* Effect.catchIf(turn, isTooLong, (error) =>
      Effect.flatMap(shortened(model, run), (now) => (now === undefined ? Effect.fail(error) : turn))
    )
  })

  /**
   * One request with its answer in the history. A question that got no answer leaves the history again, unless somebody
   * ended the work: then it stays, with what had come.
   */
  const answerTo = Effect.fnUntraced(function* (message: Content, chosen: ChosenModel, run: PromptRun) {
    const before = yield* history
    let heard = emptyAnswer
    const asked = ask(message, chosen, run, (answer) => {
      heard = answer
    })
    const turn = yield* Effect.onError(asked, (cause) => {
      if (Cause.isInterruptedOnly(cause)) return conversation.append(interruptedAnswer(heard))
      return isFunctionResponse(message) ? Effect.void : conversation.update(() => before)
    })
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
    const isRefused = options.endsWhenRefused === true && replies.every((reply) => reply.isRefused === true)
    const isDone = reason !== undefined || isRefused || (yield* options.isDone ?? Effect.succeed(false))
    yield* conversation.append(...(isDone ? messages : messages.slice(0, -1)))
    if (reason !== undefined) return yield* new RunHalt({ kind: "stopped", reason })
    return isDone ? undefined : messages.at(-1)
  })

  /** Replies that nothing is sent for any more: the next prompt must know of them. */
  const keep = (replies: ReadonlyArray<ToolReply>) =>
    replies.length === 0 ? Effect.void : conversation.append(...toolMessages(replies))

  /** The replies to these calls. Where the work is cut short, those that had ended stand in the history all the same. */
  const repliesTo = Effect.fnUntraced(function* (calls: ReadonlyArray<ToolCall>, { emit }: PromptRun) {
    const ended: Array<ToolReply> = []
    const running = runCalls(calls, { scheduler, budget }, emit, (reply) => ended.push(reply))
    return yield* Effect.onError(running, () => keep(ended.length === 0 ? [] : repliesSoFar(calls, ended)))
  })

  /** What is sent next: results of tools, a word to go on or to step back. `undefined` when all is said. */
  const followUp = Effect.fnUntraced(function* ({ answer, isChant }: TurnResult, run: PromptRun) {
    const finding = isChant ? CHANT : run.guard.findsCycle(answer.calls)
    if (finding !== undefined) {
      const refused = yield* Effect.forEach(answer.calls, (call) => refuseCall(call, REPEATED, run.emit))
      const text = yield* Effect.onError(reactToLoop(finding, run), () => keep(refused))
      return { role: "user", parts: [...refused.flatMap(({ parts }) => parts), { text }] } satisfies Content
    }
    if (answer.calls.length > 0) return yield* told(yield* repliesTo(answer.calls, run))
    if (run.review !== undefined) return yield* run.review(answer.text)
    if (!options.checksNextSpeaker) return undefined
    const { GO_ON, nextSpeaker } = yield* lazy(() => import("./next-speaker.ts"))
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

  /** Which model answers a prompt. It stays the same for the whole prompt, whatever it takes to answer it. */
  const chooseModel = Effect.fnUntraced(function* (prompt: Prompt, emit: Emit) {
    const { contents } = yield* history
    const decision = yield* router.route({ history: contents, request: prompt.parts })
    yield* emit({ _tag: "ModelRouted", ...decision })
    const { model } = options.modelFor(decision.model, { isRetry: false })
    yield* emit({ _tag: "ModelChosen", model })
    const notice = options.noticeFor?.(decision.model)
    if (notice !== undefined) yield* emit({ _tag: "Notice", severity: "info", message: notice })
    yield* budget.check(model)
    return { name: decision.model, model } satisfies ChosenModel
  })

  /** From one message to the next: a request, its answer, and what the answer asks for. */
  const takeStep = (
    message: Content,
    {
      chosen: known,
      prompt,
      run
    }: { readonly prompt: Prompt; readonly run: PromptRun; readonly chosen: ChosenModel | undefined }
  ) =>
    Effect.gen(function* () {
      const sent = yield* Effect.onError(prepare(message, known?.model ?? (yield* presumedModel), run), (cause) =>
        conversation.append(...keptResults(message, cause))
      )
      const chosen = known ?? (yield* chooseModel(prompt, run.emit))
      const turn = yield* answerTo(sent, chosen, run)
      return { chosen, said: turn.answer.text, next: yield* followUp(turn, run) } satisfies PromptStep
    }).pipe(Effect.withSpan(...spanOf(message, run)))

  return { presumedModel, repeated, takeStep }
}

const isTooLong = (error: { readonly _tag: string }): boolean =>
  error._tag === "ModelError" && "isTooLong" in error && error.isTooLong === true

const asList = (text: string | undefined): ReadonlyArray<string> => (text === undefined ? [] : [text])

const withTools = (request: ReturnType<ChatOptions["modelFor"]>, declarations: ReadonlyArray<FunctionDeclaration>) =>
  declarations.length === 0
    ? request
    : { ...request, config: { ...request.config, tools: [{ functionDeclarations: declarations }] } }

/** How one step of the loop is named in a trace: telemetry tells what a person said from what the program said in their place. */
const spanOf = (message: Content, { promptId }: { readonly promptId: PromptId }) => {
  const name = followsTools(message) ? "system_prompt" : "user_prompt"
  const attributes = {
    "gen_ai.operation.name": name,
    "gen_ai.prompt.name": promptId,
    "gen_ai.input.messages": () => message
  }
  return [name, { attributes }] as const
}
