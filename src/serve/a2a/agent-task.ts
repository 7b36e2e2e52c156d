/**
 * One task: a conversation with a caller who comes and goes. What happens goes to whoever listens at the moment; between
 * two messages it rests, or waits for an answer to a question.
 */
import { Context, Deferred, Effect, Either, Exit, Fiber, Layer, Option, Ref, Scope, Stream } from "effect"
import { Approval, type ApprovalAnswer, type ApprovalQuestion } from "../../approval/approval.ts"
import { Chat } from "../../chat/chat.ts"
import type { ChatError } from "../../chat/chat-error.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import type { PromptError } from "../../prompt/prompt-error.ts"
import { describeModelError } from "../../retry/describe.ts"
import * as UserQuestions from "../../tools/user-questions.ts"
import { makeTaskNews, type News } from "./task-events.ts"
import type { TaskFault, TaskHost } from "./task-host.ts"
import { approvalOf, type CallAnswer } from "./task-message.ts"

export type TaskTurn =
  /** The next word is the caller's. */
  | { readonly state: "input-required"; readonly error?: string; readonly usage?: unknown }
  | { readonly state: "working" }
  | { readonly state: "canceled" }
  | { readonly state: "failed"; readonly error: string }

/** Who hears of the task at the moment. */
export interface TaskListener {
  readonly news: (news: News, model: string | undefined) => void
  readonly turn: (turn: TaskTurn, model: string | undefined) => void
}

export interface AgentTask {
  readonly folder: string
  /** Returns when the caller has the next word, or there is nothing more to say. */
  readonly tell: (
    said: { readonly text: string; readonly answers: ReadonlyArray<CallAnswer> },
    listener: TaskListener
  ) => Effect.Effect<void>
  /** The caller is gone: what goes on ends, and the task rests. */
  readonly interrupt: Effect.Effect<void>
  /** For good. */
  readonly cancel: (listener: TaskListener) => Effect.Effect<void>
  readonly isBusy: Effect.Effect<boolean>
  readonly close: Effect.Effect<void>
}

export interface TaskOptions {
  readonly taskId: string
  readonly isKnown: boolean
  readonly folder: string | undefined
  readonly executesAll: boolean
}

/** Servers of the task's own that are slow join later. */
const SERVERS_WITHIN = "10 seconds"

interface Waiting {
  readonly question: ApprovalQuestion
  readonly answer: Deferred.Deferred<ApprovalAnswer>
}

/** Nobody needs to be there while it works. */
const NOBODY: TaskListener = { news: () => {}, turn: () => {} }

export const openTask = Effect.fn("A2a.openTask")(function* (
  host: TaskHost,
  options: TaskOptions
): Effect.fn.Return<AgentTask, TaskFault> {
  const scope = yield* Scope.make()
  const waiting = new Map<string, Waiting>()
  const listener = yield* Ref.make(NOBODY)
  const resting = yield* Ref.make<ReadonlyArray<Deferred.Deferred<void>>>([])
  const running = yield* Ref.make<Option.Option<Fiber.RuntimeFiber<void>>>(Option.none())
  const news = makeTaskNews(options.taskId, () => crypto.randomUUID())
  const prompting = yield* Effect.makeSemaphore(1)

  const say = (all: ReadonlyArray<News>) =>
    Effect.map(Ref.get(listener), (to) => {
      for (const one of all) to.news(one, news.model())
    })
  const turn = (now: TaskTurn) => Effect.map(Ref.get(listener), (to) => to.turn(now, news.model()))
  /** Whoever waits for the task goes on. */
  const rest = Effect.flatMap(Ref.getAndSet(resting, []), (all) =>
    Effect.forEach(all, (one) => Deferred.succeed(one, undefined), { discard: true })
  )

  const ask = Effect.fnUntraced(function* (question: ApprovalQuestion) {
    const answer = yield* Deferred.make<ApprovalAnswer>()
    waiting.set(question.callId, { question, answer })
    yield* say(news.asked(question))
    yield* turn({ state: "input-required", usage: news.usage() })
    yield* rest
    return yield* Effect.ensuring(
      Deferred.await(answer),
      Effect.sync(() => waiting.delete(question.callId))
    )
  })
  const person = {
    approval: Layer.effect(
      Approval,
      Effect.map(Effect.makeSemaphore(1), (one) =>
        Approval.of({ ask: (question) => one.withPermits(1)(ask(question)) })
      )
    ),
    questions: UserQuestions.layerNone
  }

  const { folder, services } = yield* host.open({ ...options, person }).pipe(
    Scope.extend(scope),
    Effect.onError(() => Scope.close(scope, Exit.void))
  )
  const chat = Context.get(services, Chat)
  const hub = Context.get(services, McpHub)

  const send = Effect.fnUntraced(function* (text: string) {
    yield* turn({ state: "working" })
    yield* Effect.timeoutOption(hub.settled, SERVERS_WITHIN)
    const ended = yield* chat.send({ text, parts: [{ text }] }).pipe(
      Stream.runForEach((event) => say(news.of(event))),
      Effect.either
    )
    yield* turn(endOf(ended, news.usage()))
  })

  const prompt = Effect.fnUntraced(function* (text: string) {
    const fiber = yield* Effect.forkIn(Effect.ensuring(prompting.withPermits(1)(send(text)), rest), scope)
    yield* Ref.set(running, Option.some(fiber))
  })

  const stop = Effect.flatMap(Ref.getAndSet(running, Option.none()), (fiber) =>
    Option.isNone(fiber) ? Effect.succeed(false) : Effect.as(Fiber.interrupt(fiber.value), true)
  )

  return {
    folder,
    isBusy: Effect.map(Ref.get(running), (fiber) => Option.isSome(fiber) && fiber.value.unsafePoll() === null),
    tell: Effect.fnUntraced(function* ({ answers, text }, to) {
      yield* Ref.set(listener, to)
      const rested = yield* Deferred.make<void>()
      yield* Ref.update(resting, (all) => [...all, rested])
      let isHeard = false
      for (const given of answers) {
        const asked = waiting.get(given.callId)
        const answer = asked === undefined ? undefined : approvalOf(given, asked.question)
        if (asked === undefined || answer === undefined) {
          yield* Effect.annotateLogs(Effect.logWarning("an answer fits no question"), { callId: given.callId })
          continue
        }
        isHeard = true
        yield* turn({ state: "working" })
        yield* Deferred.succeed(asked.answer, answer)
      }
      if (text.trim() !== "") {
        yield* prompt(text)
        isHeard = true
      }
      // Nothing to do: it goes on waiting.
      if (!isHeard) {
        yield* turn({ state: "input-required", usage: news.usage() })
        yield* rest
      }
      yield* Deferred.await(rested)
    }),
    interrupt: Effect.flatMap(stop, (wasRunning) => (wasRunning ? turn({ state: "input-required" }) : Effect.void)),
    cancel: (to) =>
      stop.pipe(
        Effect.zipRight(Ref.set(listener, to)),
        Effect.zipRight(turn({ state: "canceled" })),
        Effect.zipRight(Scope.close(scope, Exit.void))
      ),
    close: Effect.zipRight(stop, Scope.close(scope, Exit.void))
  } satisfies AgentTask
})

const endOf = (ended: Either.Either<void, ChatError | PromptError>, usage: unknown): TaskTurn => {
  if (Either.isRight(ended)) return { state: "input-required", usage }
  const error = ended.left
  switch (error._tag) {
    case "ModelError":
      return {
        state: "input-required",
        error: [error.message, describeModelError(error).hint].filter(Boolean).join(". ")
      }
    case "LimitReached":
    case "LoopDetected":
    case "ContextOverflow":
    case "InvalidAnswer":
      return { state: "input-required", error: error.message }
    default:
      return { state: "failed", error: error.message }
  }
}
