/**
 * The calls of one model turn: those that only look run side by side up to a bound, the others alone and in their place.
 * Answers and events come in the order of the requests, after the last call has ended.
 */
import { Effect, Layer, type Option } from "effect"
import type { Approval } from "../../approval/approval.ts"
import type { Secret } from "../../kernel/redact-secrets.ts"
import { Policy } from "../../policy/policy.ts"
import type { ChangeJournal } from "../../session/undo/change-journal.ts"
import { ToolRegistry } from "../registry.ts"
import type { Tool } from "../tool.ts"
import { FatalToolError, type ToolCall, type ToolReply, ToolScheduler } from "../tool-scheduler.ts"
import { BackgroundNotices } from "./background-notices.ts"
import { batchesOf, topicFirst } from "./batches.ts"
import { type PresentOptions, presentResult } from "./present-result.ts"
import { type CallResult, type Emit, runCall } from "./run-call.ts"

export interface SchedulerOptions {
  readonly truncateThreshold: number
  readonly outputDir: Effect.Effect<Option.Option<string>>
  readonly nestsMedia: (model: string) => boolean
  readonly model: string
  /** Credentials that must not reach the model or a transcript; asked for at the first call. */
  readonly secrets: Effect.Effect<ReadonlyArray<Secret>>
}

const MAX_PARALLEL = 8

export const layer = (options: SchedulerOptions) =>
  Layer.effect(
    ToolScheduler,
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const policy = yield* Policy
      const notices = yield* BackgroundNotices
      const services = yield* Effect.context<ToolRegistry | Policy | Approval | ChangeJournal>()
      const secrets = yield* Effect.cached(options.secrets)
      const present: Omit<PresentOptions, "secrets"> = {
        threshold: options.truncateThreshold,
        outputDir: options.outputDir,
        nestsMedia: options.nestsMedia(options.model)
      }

      /** Modes and rules change while a session goes on, so what is hidden is settled anew for each request. */
      const hide = Effect.gen(function* () {
        const names = yield* policy.hiddenTools(yield* registry.all)
        yield* registry.hide(new Set(names))
        return names
      })

      const runInOrder = Effect.fnUntraced(function* (calls: ReadonlyArray<ToolCall>, emit: Emit) {
        const results: Array<CallResult> = []
        for (const batch of batchesOf(yield* withTools(calls, registry))) {
          results.push(
            ...(yield* Effect.forEach(batch, ({ call }) => runCall(call, emit), { concurrency: MAX_PARALLEL }))
          )
        }
        return new Map(results.map((result) => [result.call.callId, result]))
      })

      return ToolScheduler.of({
        hidden: hide,
        declarations: (model) => Effect.zipRight(hide, registry.declarations(model)),
        run: Effect.fn("ToolScheduler.run")(function* (calls, emit) {
          const results = yield* runInOrder(topicFirst(calls), emit).pipe(Effect.provide(services))
          const ordered = calls.flatMap((call) => results.get(call.callId) ?? [])
          const shown: PresentOptions = { ...present, secrets: yield* secrets }
          const presented = yield* Effect.forEach(ordered, (result) => presentResult(result, shown))
          yield* Effect.forEach(
            presented.flatMap(({ events }) => events),
            emit,
            { discard: true }
          )
          yield* Effect.forEach(ordered, failIfFatal, { discard: true })
          return withNotices(
            presented.map(({ reply }) => reply),
            yield* notices.drain
          )
        })
      })
    })
  )

/** News stand behind the last answer, where the model reads them before it goes on. */
const withNotices = (replies: ReadonlyArray<ToolReply>, notices: ReadonlyArray<string>): ReadonlyArray<ToolReply> =>
  replies.map((reply, index) =>
    index < replies.length - 1 || notices.length === 0
      ? reply
      : { ...reply, parts: [...reply.parts, ...notices.map((text) => ({ text }))] }
  )

interface Scheduled {
  readonly call: ToolCall
  readonly tool: Tool | undefined
  readonly waitForPrevious: boolean | undefined
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

/** A full disk makes going on pointless. */
const failIfFatal = ({ end, name }: CallResult): Effect.Effect<void, FatalToolError> =>
  end._tag === "Failed" && end.failure.type === "no_space_left"
    ? Effect.fail(new FatalToolError({ tool: name, type: end.failure.type, detail: end.failure.message }))
    : Effect.void
