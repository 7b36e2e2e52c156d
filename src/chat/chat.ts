/**
 * The conversation: its history, and the loop that answers one prompt. The loop is a short generator over named steps;
 * what it does is told in events, what ends it early is a typed error of the stream.
 */
import { Context, Effect, Layer, Mailbox, Ref, Stream } from "effect"
import { type GenerationConfig, ModelClient } from "../model/model-client.ts"
import type { PromptError } from "../prompt/prompt-error.ts"
import { SystemPrompt } from "../prompt/system-prompt.ts"
import type { Content, Part } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { promptIdOf, type SessionId } from "../protocol/ids.ts"
import type { FunctionDeclaration } from "../tools/declaration.ts"
import { ToolScheduler } from "../tools/tool-scheduler.ts"
import type { Answer } from "./answer.ts"
import { type ChatError, LimitReached } from "./chat-error.ts"
import { isFunctionResponse, requestContents } from "./request-contents.ts"
import { interruptedReplies, toolMessages } from "./tool-messages.ts"
import { type Emit, runTurn } from "./turn.ts"

export class Chat extends Context.Tag("agent/chat/Chat")<
  Chat,
  {
    /** Answers one prompt, tool rounds included. Interrupting the consumer ends the request and the tools. */
    readonly send: (prompt: Prompt) => Stream.Stream<ProtocolEvent, ChatError | PromptError>
  }
>() {}

export interface Prompt {
  /** As the person gave it. */
  readonly text: string
  /** As the model gets it. */
  readonly parts: ReadonlyArray<Part>
}

export interface ChatOptions {
  readonly sessionId: SessionId
  /** The model that answers and its parameters, resolved from aliases and settings. */
  readonly modelFor: (attempt: { readonly isRetry: boolean }) => {
    readonly model: string
    readonly config: GenerationConfig
  }
  readonly maxTurns: { readonly value: number; readonly source: string } | undefined
  /** Text is shown only when the run has ended, so an answer may be dropped and asked for again. */
  readonly restartable: boolean
}

export const layer = (options: ChatOptions) =>
  Layer.effect(
    Chat,
    Effect.gen(function* () {
      const client = yield* ModelClient
      const scheduler = yield* ToolScheduler
      const systemPrompt = yield* SystemPrompt
      const history = yield* Ref.make<ReadonlyArray<Content>>([])
      const promptCount = yield* Ref.make(0)
      const turnCount = yield* Ref.make(0)

      const { model } = options.modelFor({ isRetry: false })

      const append = (...contents: ReadonlyArray<Content>) => Ref.update(history, (before) => [...before, ...contents])

      const checkTurnLimit = Effect.fnUntraced(function* () {
        const turn = yield* Ref.updateAndGet(turnCount, (count) => count + 1)
        const limit = options.maxTurns
        if (limit !== undefined && turn > limit.value) {
          return yield* new LimitReached({ limit: "turns", value: String(limit.value), source: limit.source })
        }
      })

      /** One request with its answer in the history; a question that got no answer leaves the history again. */
      const answerTo = Effect.fnUntraced(function* (message: Content, request: TurnContext) {
        const before = yield* Ref.get(history)
        yield* append(message)
        const declarations = yield* scheduler.declarations(model)
        const systemInstruction = yield* systemPrompt.instruction({
          model,
          tools: declarations.map(({ name }) => name)
        })
        yield* Effect.forEach(yield* systemPrompt.takeWarnings, (warning) =>
          request.emit({ _tag: "Notice", severity: "warning", message: warning })
        )
        const answer = yield* runTurn(
          {
            contents: requestContents(yield* Ref.get(history)),
            systemInstruction,
            promptId: request.promptId,
            afterTools: isFunctionResponse(message),
            restartable: options.restartable,
            configFor: (attempt) => withTools(options.modelFor(attempt), declarations)
          },
          request.emit
        ).pipe(
          Effect.provideService(ModelClient, client),
          Effect.onError(() => (isFunctionResponse(message) ? Effect.void : Ref.set(history, before)))
        )
        if (answer.parts.length > 0) yield* append({ role: "model", parts: answer.parts })
        return answer
      })

      /** A turn that is interrupted leaves no call without an answer: the next request must find a valid history. */
      const runTools = Effect.fnUntraced(function* (answer: Answer, request: TurnContext) {
        const replies = yield* scheduler
          .run(answer.calls, request.emit)
          .pipe(Effect.onInterrupt(() => append(interruptedReplies(answer.calls))))
        const messages = toolMessages(replies)
        yield* append(...messages.slice(0, -1))
        return messages.at(-1) ?? messages[0]
      })

      const loop = Effect.fn("Chat.send")(function* (prompt: Prompt, emit: Emit) {
        const promptId = promptIdOf(options.sessionId, yield* Ref.getAndUpdate(promptCount, (count) => count + 1))
        const request = { promptId, emit }
        yield* emit({ _tag: "UserMessage", promptId, text: prompt.text })
        yield* emit({ _tag: "ModelChosen", model })
        const hidden = yield* scheduler.hidden
        if (hidden.length > 0) yield* emit({ _tag: "ToolsHidden", names: hidden })
        let message: Content = yield* firstMessage(yield* Ref.get(history), prompt, systemPrompt.sessionContext)
        while (true) {
          yield* checkTurnLimit()
          const answer = yield* answerTo(message, request)
          if (answer.calls.length === 0) return
          message = yield* runTools(answer, request)
        }
      })

      return Chat.of({
        send: (prompt) =>
          Stream.unwrapScoped(
            Effect.gen(function* () {
              // Bounded: a slow reader slows the reading of the model's answer, and memory stays flat.
              const events = yield* Mailbox.make<ProtocolEvent, ChatError | PromptError>({ capacity: 64 })
              yield* Effect.forkScoped(
                loop(prompt, (event) => Effect.asVoid(events.offer(event))).pipe(Mailbox.into(events))
              )
              return Mailbox.toStream(events)
            })
          )
      })
    })
  )

interface TurnContext {
  readonly promptId: ReturnType<typeof promptIdOf>
  readonly emit: Emit
}

/** The first message of a conversation is preceded by what the model should know of its surroundings. */
const firstMessage = (
  history: ReadonlyArray<Content>,
  prompt: Prompt,
  sessionContext: Effect.Effect<string>
): Effect.Effect<Content> =>
  history.length > 0
    ? Effect.succeed({ role: "user", parts: prompt.parts })
    : Effect.map(sessionContext, (text) => ({ role: "user", parts: [{ text }, ...prompt.parts] }))

const withTools = (request: ReturnType<ChatOptions["modelFor"]>, declarations: ReadonlyArray<FunctionDeclaration>) =>
  declarations.length === 0
    ? request
    : { ...request, config: { ...request.config, tools: [{ functionDeclarations: declarations }] } }
