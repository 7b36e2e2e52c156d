/**
 * One task: a conversation with a caller who comes and goes. What happens goes to whoever listens at the moment; between
 * two messages it rests, or waits for an answer to a question.
 */
import { Context, Deferred, Effect, Either, Exit, Fiber, Layer, Ref, Scope } from "effect"
import { Approval, type ApprovalAnswer, type ApprovalQuestion } from "../../approval/approval.ts"
import { Chat } from "../../chat/chat.ts"
import type { ChatError } from "../../chat/chat-error.ts"
import * as Flow from "../../kernel/flow.ts"
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
  /**
   * Answers are heard at once, a text when what was asked before is done. Returns when this caller has the next word, or
   * there is nothing more to say.
   */
  readonly tell: (
    said: { readonly text: string; readonly answers: ReadonlyArray<CallAnswer> },
    listener: TaskListener
  ) => Effect.Effect<void>
  /** The caller is gone: what was done or is to be done for it ends, and the task rests. */
  readonly leave: (listener: TaskListener) => Effect.Effect<void>
  /** For good. Told to whoever listens at the moment, otherwise to this listener. */
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

/** A message to the task, and who waits for what comes of it. */
interface Caller {
  readonly listener: TaskListener
  readonly rested: Deferred.Deferred<void>
  /** A text of it waits until what was asked before is done. */
  waits: boolean
}

type Run = Fiber.RuntimeFiber<void>

export const openTask = Effect.fn("A2a.openTask")(function* (
  host: TaskHost,
  options: TaskOptions
): Effect.fn.Return<AgentTask, TaskFault> {
  const scope = yield* Scope.make()
  const waiting = new Map<string, Waiting>()
  const current = yield* Ref.make<Caller | undefined>(undefined)
  /** By who asked for them; the one that works is not always that of the current caller, who may have answered for it. */
  const runs = new Map<Caller, Run>()
  const active = yield* Ref.make<Run | undefined>(undefined)
  const news = makeTaskNews(options.taskId, () => crypto.randomUUID())
  const prompting = yield* Effect.makeSemaphore(1)

  const say = (all: ReadonlyArray<News>) =>
    Effect.map(Ref.get(current), (to) => {
      for (const one of all) to?.listener.news(one, news.model())
    })
  const turn = (now: TaskTurn) => Effect.map(Ref.get(current), (to) => to?.listener.turn(now, news.model()))
  const restOf = (caller: Caller | undefined) =>
    caller === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(caller.rested, undefined))
  const rest = Effect.flatMap(Ref.get(current), restOf)

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
    questions: UserQuestions.layerNone,
    endsWhenRefused: true
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
      Flow.runForEach((event) => say(news.of(event))),
      Effect.either
    )
    // Whoever answered and asked in one message hears the answer to both in one stream.
    const hasMore = (yield* Ref.get(current))?.waits === true
    yield* turn(hasMore ? { state: "working" } : endOf(ended, news.usage()))
    if (!hasMore) yield* rest
  })

  const prompt = Effect.fnUntraced(function* (text: string, caller: Caller) {
    caller.waits = true
    const own = Effect.gen(function* () {
      caller.waits = false
      yield* Ref.set(current, caller)
      yield* Ref.set(active, runs.get(caller))
      yield* send(text)
    })
    const ended = Effect.suspend(() => {
      runs.delete(caller)
      return restOf(caller)
    })
    const begins = yield* Deferred.make<void>()
    const run = Deferred.await(begins).pipe(Effect.zipRight(prompting.withPermits(1)(own)), Effect.ensuring(ended))
    runs.set(caller, yield* Effect.forkIn(run, scope))
    yield* Deferred.succeed(begins, undefined)
  })

  const stop = (some: ReadonlyArray<Run | undefined>) => Fiber.interruptAll(some.filter((run) => run !== undefined))

  return {
    folder,
    isBusy: Effect.sync(() => runs.size > 0),
    tell: Effect.fnUntraced(function* ({ answers, text }, listener) {
      const caller: Caller = { listener, rested: yield* Deferred.make<void>(), waits: false }
      let isHeard = false
      for (const given of answers) {
        const asked = waiting.get(given.callId)
        const answer = asked === undefined ? undefined : approvalOf(given, asked.question)
        if (asked === undefined || answer === undefined) {
          yield* Effect.annotateLogs(Effect.logWarning("an answer fits no question"), { callId: given.callId })
          continue
        }
        isHeard = true
        yield* Ref.set(current, caller)
        yield* turn({ state: "working" })
        yield* Deferred.succeed(asked.answer, answer)
      }
      if (text.trim() !== "") {
        yield* prompt(text, caller)
        isHeard = true
      }
      // Nothing to do: it goes on waiting.
      if (!isHeard) return listener.turn({ state: "input-required", usage: news.usage() }, news.model())
      yield* Deferred.await(caller.rested)
    }),
    leave: Effect.fnUntraced(function* (listener) {
      const now = yield* Ref.get(current)
      const isCurrent = now?.listener === listener && !(yield* Deferred.isDone(now.rested))
      const own = [...runs].flatMap(([caller, run]) => (caller.listener === listener ? [run] : []))
      yield* stop(isCurrent ? [yield* Ref.get(active), ...own] : own)
      if (isCurrent) listener.turn({ state: "input-required" }, news.model())
    }),
    cancel: Effect.fnUntraced(function* (listener) {
      const now = yield* Ref.get(current)
      const isHeard = now !== undefined && !(yield* Deferred.isDone(now.rested))
      const hears = isHeard ? now.listener : listener
      hears.turn({ state: "canceled" }, news.model())
      yield* stop([...runs.values()])
      yield* Scope.close(scope, Exit.void)
    }),
    close: Effect.zipRight(
      Effect.suspend(() => stop([...runs.values()])),
      Scope.close(scope, Exit.void)
    )
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
