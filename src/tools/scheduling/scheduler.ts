/**
 * The calls of one model turn: those that only look run side by side up to a bound, the others alone and in their place.
 * Answers and events come in the order of the requests, an event as soon as all calls before it have ended.
 */
import { Context, Effect, Layer, type Option } from "effect"
import { Approval } from "../../approval/approval.ts"
import { Hooks } from "../../hooks/hooks.ts"
import { cachedOnce } from "../../kernel/cached-once.ts"
import type { Secret } from "../../kernel/redact-secrets.ts"
import { SHELL_TOOL } from "../../policy/decision.ts"
import { Policy } from "../../policy/policy.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import type { CallId } from "../../protocol/ids.ts"
import { ChangeJournal } from "../../session/undo/change-journal.ts"
import { ToolRegistry } from "../registry.ts"
import type { Tool, ToolKind } from "../tool.ts"
import { FatalToolError, type ToolCall, type ToolReply, ToolScheduler } from "../tool-scheduler.ts"
import { phase } from "./call-hooks.ts"
import { policyCall } from "./judge-call.ts"
import { type PresentOptions, presentResult } from "./present-result.ts"
import { type CallResult, type CallSurroundings, type Emit, runCall } from "./run-call.ts"
import { TurnNews } from "./turn-news.ts"

export interface SchedulerOptions {
  readonly truncateThreshold: number
  readonly outputDir: Effect.Effect<Option.Option<string>>
  readonly nestsMedia: (model: string) => boolean
  readonly model: string
  /** There is a person who can be asked. */
  readonly canAsk: boolean
  /** Credentials that must not reach the model or a transcript; asked for at the first call. */
  readonly secrets: Effect.Effect<ReadonlyArray<Secret>>
  /** What answers calls in place of the tools. */
  readonly recorded?: ToolScheduler["Type"]["run"]
}

const MAX_PARALLEL = 8

/**
 * Which calls of a turn run side by side. Calls that only look may; a call that changes something runs alone and in its
 * place, since `git add` beside `git commit` is a race that the model did not ask for. The model can say otherwise with
 * `wait_for_previous`.
 */
interface Batchable {
  /** `undefined`: the tool is unknown or its arguments are bad; answering that touches nothing. */
  readonly tool: Tool | undefined
  /** The model's own word on the order, where it gave one. */
  readonly waitForPrevious: boolean | undefined
  /** A command that is understood, runs unasked and only reads. */
  readonly readsOnly?: boolean
}

const LOOKING: ReadonlySet<ToolKind> = new Set(["read", "search", "fetch", "think", "agent"])

const mayRunBeside = ({ readsOnly, tool, waitForPrevious }: Batchable): boolean => {
  if (tool === undefined) return true
  // Its text introduces what follows, and two writes to one file must not meet.
  if (tool.name === "update_topic" || tool.name === "write_file" || tool.name === "replace") return false
  if (waitForPrevious !== undefined) return !waitForPrevious
  return readsOnly === true || LOOKING.has(tool.kind) || tool.annotations?.readOnlyHint === true
}

/** Runs of neighbours that may run side by side, and single calls, in the order given. */
export const batchesOf = <A extends Batchable>(calls: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const batches: Array<Array<A>> = []
  let open = false
  for (const call of calls) {
    const joins = mayRunBeside(call)
    const last = batches.at(-1)
    if (joins && open && last !== undefined) last.push(call)
    else batches.push([call])
    open = joins
  }
  return batches
}

/** Topic updates come first: they say what the calls after them are for. */
export const topicFirst = <A extends { readonly name: string }>(calls: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...calls.filter((call) => call.name === "update_topic"),
  ...calls.filter((call) => call.name !== "update_topic")
]

export const make = (options: SchedulerOptions) =>
  Effect.gen(function* () {
    const registry = yield* ToolRegistry
    const policy = yield* Policy
    const news = yield* TurnNews
    const contextFiles = yield* ContextFiles
    const hooks = yield* Hooks
    // Only these: a span that was open when this was made is not the parent of the calls.
    const services = Context.pick(
      ToolRegistry,
      Policy,
      Approval,
      ChangeJournal
    )(yield* Effect.context<ToolRegistry | Policy | Approval | ChangeJournal>())
    const asking = yield* Effect.makeSemaphore(1)
    const secrets = yield* cachedOnce(options.secrets)
    const present: Omit<PresentOptions, "secrets"> = {
      threshold: options.truncateThreshold,
      outputDir: options.outputDir,
      nestsMedia: options.nestsMedia(options.model),
      contextFor: contextFiles.contextFor
    }

    /** Modes and rules change while a session goes on, so what is hidden is settled anew for each request. */
    const hide = Effect.gen(function* () {
      const names = yield* policy.hiddenTools(yield* registry.all)
      yield* registry.hide(new Set(names))
      return names
    })

    /** Presents what has ended, as far as everything that was asked for before it has ended too. */
    const runInOrder = Effect.fnUntraced(function* (
      calls: ReadonlyArray<ToolCall>,
      around: CallSurroundings,
      onReply: (reply: ToolReply) => void
    ) {
      const ended = new Map<CallId, CallResult>()
      const presented: Array<Presented> = []
      const shown: PresentOptions = { ...present, secrets: yield* secrets }
      const scheduled = yield* withReading(yield* withTools(topicFirst(calls), registry), policy)
      for (const batch of batchesOf(scheduled)) {
        const isStopped = [...ended.values()].some(stopsRun)
        const results = yield* Effect.forEach(
          batch,
          ({ call }) => (isStopped ? Effect.succeed(notMade(call)) : runCall(call, around)),
          { concurrency: MAX_PARALLEL }
        )
        for (const result of results) ended.set(result.call.callId, result)
        for (const call of calls.slice(presented.length)) {
          const result = ended.get(call.callId)
          if (result === undefined) break
          const { events, reply } = yield* presentResult(result, shown).pipe(phase(result.name, "result_processing"))
          onReply(reply)
          presented.push({ result, reply })
          yield* Effect.forEach(events, around.emit, { discard: true })
        }
      }
      return presented
    })

    return ToolScheduler.of({
      hidden: hide,
      declarations: (model) => Effect.zipRight(hide, registry.declarations(model)),
      run:
        options.recorded ??
        Effect.fn("schedule_tool_calls")(function* (calls, emit: Emit, onReply = () => {}) {
          yield* Effect.annotateCurrentSpan({
            "gen_ai.operation.name": "schedule_tool_calls",
            "gen_ai.input.messages": () => calls
          })
          const around: CallSurroundings = { emit, asking, hooks, canAsk: options.canAsk }
          const presented = yield* Effect.provide(runInOrder(calls, around, onReply), services)
          yield* Effect.forEach(presented, ({ result }) => failIfFatal(result), { discard: true })
          return withNews(
            presented.map(({ reply }) => reply),
            yield* news.drain
          )
        })
    })
  })

export const layer = (options: SchedulerOptions) => Layer.effect(ToolScheduler, make(options))

interface Presented {
  readonly result: CallResult
  readonly reply: ToolReply
}

/** News stand before the first answer: the model reads them before it goes on. */
const withNews = (replies: ReadonlyArray<ToolReply>, news: ReadonlyArray<string>): ReadonlyArray<ToolReply> =>
  news.length === 0
    ? replies
    : replies.map((reply, index) =>
        index > 0 ? reply : { ...reply, parts: [...news.map((text) => ({ text })), ...reply.parts] }
      )

interface Scheduled extends Batchable {
  readonly call: ToolCall
}

const withTools = (
  calls: ReadonlyArray<ToolCall>,
  registry: ToolRegistry["Type"]
): Effect.Effect<ReadonlyArray<Scheduled>> =>
  Effect.map(registry.active, (tools) =>
    calls.map((call) => {
      const wait = call.args.wait_for_previous
      return {
        call,
        tool: tools.find((tool) => tool.name === call.name || tool.aliases.includes(call.name)),
        waitForPrevious: typeof wait === "boolean" ? wait : undefined
      }
    })
  )

/** Asked only where commands stand beside each other, and only of what the model did not put in order itself. */
const withReading = (
  scheduled: ReadonlyArray<Scheduled>,
  policy: Policy["Type"]
): Effect.Effect<ReadonlyArray<Scheduled>> =>
  scheduled.length < 2
    ? Effect.succeed(scheduled)
    : Effect.forEach(scheduled, (one) => {
        const { call, tool, waitForPrevious } = one
        const isAsked = tool?.name === SHELL_TOOL && waitForPrevious === undefined && call.args.is_background !== true
        if (tool === undefined || !isAsked) return Effect.succeed(one)
        return Effect.map(policy.decide(policyCall(tool, call)), ({ isReading, verdict }) => ({
          ...one,
          readsOnly: verdict === "allow" && isReading === true
        }))
      })

const stopsRun = ({ end }: CallResult): boolean => end._tag === "Failed" && end.failure.type === "stop_execution"

/** A hook ended the work with a call before this one. */
const notMade = (call: ToolCall): CallResult => ({
  call,
  name: call.name,
  durationMs: 0,
  end: { _tag: "Refused", reason: "a hook stopped the run before this call" },
  decision: undefined,
  touched: [],
  denial: undefined
})

/** A full disk makes going on pointless. */
const failIfFatal = ({ end, name }: CallResult): Effect.Effect<void, FatalToolError> =>
  end._tag === "Failed" && end.failure.type === "no_space_left"
    ? Effect.fail(new FatalToolError({ tool: name, type: end.failure.type, detail: end.failure.message }))
    : Effect.void
