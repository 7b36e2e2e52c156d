/**
 * The work of a local agent from its task to one text for its caller. Whatever ends it (its result, a limit, a failure)
 * becomes that text; only a cancellation goes through.
 */
import { Duration, Effect, Either, Option, Ref } from "effect"
import type { ChatError } from "../../chat/chat-error.ts"
import * as Flow from "../../kernel/flow.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import type { PromptError } from "../../prompt/prompt-error.ts"
import { answerAfter } from "../../protocol/answer-text.ts"
import type { EventOf, ProtocolEvent, TerminateMode } from "../../protocol/event.ts"
import { type CallContext, ToolFailure, type ToolOutput } from "../../tools/tool.ts"
import type { LocalAgent } from "../agent.ts"
import { type AgentChat, DEFAULT_QUERY, finalRequest, makeAgentChat, turnLimitOf } from "./agent-chat.ts"
import { lastWord, type Teller, tellRun } from "./agent-events.ts"
import { makeStopwatch } from "./stopwatch.ts"

/** For the last turn of an agent that did not hand over anything. */
const GRACE = Duration.seconds(60)

export const runLocal = Effect.fn("agent_call")(function* (agent: LocalAgent, prompt: string, call: CallContext) {
  const agentId = yield* Effect.sync(() => `${agent.name}-${crypto.randomUUID().slice(0, 8)}`)
  yield* Effect.annotateCurrentSpan({ "gen_ai.operation.name": "agent_call", "gen_ai.agent.name": agent.name })
  const startedAt = yield* monotonicMillis
  const turns = yield* Ref.make(0)
  const teller = counting(tellRun(agent.name, call), turns)
  const task = prompt.trim() === "" ? DEFAULT_QUERY : prompt
  yield* teller.step({ _tag: "AgentStarted", agentId, prompt: task })
  const finish = Effect.fnUntraced(function* (reason: TerminateMode) {
    const durationMs = (yield* monotonicMillis) - startedAt
    yield* teller.step({ _tag: "AgentFinished", agentId, reason, turns: yield* Ref.get(turns), durationMs })
  })

  const outcome = yield* Effect.gen(function* () {
    const watch = yield* makeStopwatch(Duration.minutes(agent.limits.maxMinutes))
    const made = yield* makeAgentChat({ agent, agentId, task, watch, teller })
    const ended = yield* workOn(made, task, { agent, over: watch.over })
    const settled =
      ended._tag === "Settled" ? ended.outcome : yield* lastTurn(made, ended, { task, agentId, teller, turns })
    yield* made.recorder.append({ $set: { summary: summaryOf(settled) } })
    return settled
  }).pipe(
    Effect.scoped,
    Effect.onInterrupt(() => lastWord(finish("ABORTED")))
  )
  yield* finish(outcome.reason)
  return yield* outputOf(agent, outcome)
})

const counting = (teller: Teller, turns: Ref.Ref<number>): Teller => ({
  ...teller,
  pass: (event) =>
    event._tag === "RequestFinished" && event.role === "subagent"
      ? Effect.zipRight(
          Ref.update(turns, (count) => count + 1),
          teller.pass(event)
        )
      : teller.pass(event)
})

/** `Unfinished`: it gets one more turn to say what it has. */
type Ended =
  | { readonly _tag: "Settled"; readonly outcome: AgentOutcome }
  | {
      readonly _tag: "Unfinished"
      readonly reason: TerminateMode
      /** What happened, completing "You ..." for the agent and "It ..." for its caller. */
      readonly why: string
      readonly said: string
    }

const workOn = Effect.fnUntraced(function* (
  made: AgentChat,
  task: string,
  { agent, over }: { readonly agent: LocalAgent; readonly over: Effect.Effect<void> }
): Effect.fn.Return<Ended> {
  const words = yield* Ref.make(SILENT)
  const limited = Effect.raceFirst(
    Effect.map(Effect.either(send(made, [...made.news, task], words)), Option.some),
    Effect.as(over, Option.none<Either.Either<void, ChatError | PromptError>>())
  )
  const end = yield* limited
  const { halted } = yield* Ref.get(words)
  if (halted !== undefined) return { _tag: "Settled", outcome: haltedOutcome(halted) }
  const result = yield* made.completion.result
  if (Option.isSome(result)) return settled("GOAL", resultText(result.value))
  const unfinished = (reason: TerminateMode, why: string): Effect.Effect<Ended> =>
    Effect.map(Ref.get(words), ({ said }) => ({ _tag: "Unfinished", reason, why, said }))
  if (Option.isNone(end)) return yield* unfinished("TIMEOUT", `used up the time of ${minutesText(agent)}`)
  const exit = end.value
  if (Either.isRight(exit)) {
    return yield* unfinished("ERROR_NO_COMPLETE_TASK_CALL", "stopped without handing over a result")
  }
  const isOwnLimit = exit.left._tag === "LimitReached" && exit.left.source === turnLimitOf(agent).source
  return isOwnLimit
    ? yield* unfinished("MAX_TURNS", `used up all ${agent.limits.maxTurns} turns`)
    : settled("ERROR", exit.left.message)
})

/** What is refused is refused to this agent; who stops, stops the run whose work this is. */
const haltedOutcome = ({ kind, reason }: EventOf<"RunHalted">): AgentOutcome => ({
  reason: "ERROR",
  result: `It was ${kind} by a hook: ${reason}`,
  ...(kind === "stopped" ? { stopReason: reason } : {})
})

const settled = (reason: TerminateMode, result: string): Ended => ({ _tag: "Settled", outcome: { reason, result } })

const minutesText = ({ limits }: LocalAgent): string =>
  `${limits.maxMinutes} minute${limits.maxMinutes === 1 ? "" : "s"}`

/** The last words of the agent: where nothing is handed over, they are all there is. */
interface Words {
  readonly said: string
  /** A hook wanted the end. */
  readonly halted: EventOf<"RunHalted"> | undefined
}

const SILENT: Words = { said: "", halted: undefined }

const send = (made: AgentChat, texts: ReadonlyArray<string>, words: Ref.Ref<Words>) =>
  made.chat
    .send({ text: texts.join("\n\n"), parts: texts.map((text) => ({ text })) })
    .pipe(Flow.runForEach((event) => Ref.update(words, (before) => wordsAfter(before, event))))

const wordsAfter = (before: Words, event: ProtocolEvent): Words => ({
  said: answerAfter(before.said, event),
  halted: event._tag === "RunHalted" ? event : before.halted
})

const lastTurn = Effect.fnUntraced(function* (
  made: AgentChat,
  ended: Extract<Ended, { readonly _tag: "Unfinished" }>,
  {
    agentId,
    task,
    teller,
    turns
  }: { readonly task: string; readonly agentId: string; readonly teller: Teller; readonly turns: Ref.Ref<number> }
): Effect.fn.Return<AgentOutcome> {
  const { reason, said, why } = ended
  const startedAt = yield* monotonicMillis
  yield* made.beginLastTurn
  // A question that got no answer is no part of the conversation: it is put again.
  const forgotten = (yield* made.chat.history).length === 0 ? [task] : []
  const request = [...forgotten, finalRequest(`You ${why}.`)]
  const words = yield* Ref.make(SILENT)
  const failure = yield* send(made, request, words).pipe(
    Effect.timeout(GRACE),
    Effect.either,
    Effect.map((exit) => (Either.isLeft(exit) ? exit.left.message : undefined))
  )
  const result = yield* made.completion.result
  yield* teller.step({
    _tag: "AgentRecovery",
    agentId,
    reason,
    success: Option.isSome(result),
    turns: yield* Ref.get(turns),
    durationMs: (yield* monotonicMillis) - startedAt
  })
  const { halted } = yield* Ref.get(words)
  if (halted !== undefined) return haltedOutcome(halted)
  if (Option.isSome(result)) return { reason: "GOAL", result: resultText(result.value) }
  const nothing = failure === undefined ? "It handed over no result." : `It handed over no result: ${failure}`
  const lastWords = said.trim() === "" ? "" : `\nIts last words were:\n${said.trim()}`
  return { reason, result: `It ${why}. ${nothing}${lastWords}` }
})

/** A limit is an answer like another; a failure is told as one. */
const outputOf = (agent: LocalAgent, outcome: AgentOutcome): Effect.Effect<ToolOutput, ToolFailure> => {
  const text = outcomeText(agent.name, outcome)
  const { stopReason } = outcome
  if (stopReason !== undefined) return new ToolFailure({ type: "stop_execution", message: stopReason })
  if (outcome.reason === "ERROR" || outcome.reason === "ERROR_NO_COMPLETE_TASK_CALL") {
    return new ToolFailure({ type: "execution_failed", message: text, display: outcome.result })
  }
  return Effect.succeed({
    forModel: text,
    display: { type: "text", text: outcome.reason === "GOAL" ? outcome.result : text },
    data: { terminateReason: outcome.reason }
  })
}

/** How the work of an agent ended. */
interface AgentOutcome {
  readonly reason: TerminateMode
  /** What it handed over, or what went wrong. */
  readonly result: string
  /** A hook ended not only this work but the run, and said why. */
  readonly stopReason?: string
}

const outcomeText = (agent: string, { reason, result }: AgentOutcome): string =>
  `Subagent '${agent}' finished.\nTermination reason: ${reason}\nResult:\n${result}`

/** A result as text: texts as they are, everything else as JSON. */
const resultText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2))

const SUMMARY_CHARS = 200

/** For the record of its session. */
const summaryOf = ({ result }: AgentOutcome): string => {
  const line = result.replace(/\s+/g, " ").trim()
  return line.length <= SUMMARY_CHARS ? line : `${line.slice(0, SUMMARY_CHARS - 3)}...`
}
