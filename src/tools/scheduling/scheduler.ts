/**
 * The tools of a run for its loop: which are offered, and the calls of a turn. What runs calls is loaded with the first one.
 */
import { Context, Effect, Layer, type Option } from "effect"
import { Approval } from "../../approval/approval.ts"
import { Hooks } from "../../hooks/hooks.ts"
import { cachedOnce } from "../../kernel/cached-once.ts"
import { lazy } from "../../kernel/lazy.ts"
import type { Secret } from "../../kernel/redact-secrets.ts"
import { Policy } from "../../policy/policy.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import { ChangeJournal } from "../../session/undo/change-journal.ts"
import { ToolRegistry } from "../registry.ts"
import { ToolScheduler } from "../tool-scheduler.ts"
import type { PresentOptions } from "./present-result.ts"
import { TurnNews } from "./turn-news.ts"

export interface SchedulerOptions {
  readonly truncateThreshold: number
  /** A few lines about an output that is cut; empty where there is nothing to say. */
  readonly distill?: PresentOptions["distill"]
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
      ...(options.distill === undefined ? {} : { distill: options.distill }),
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

    return ToolScheduler.of({
      hidden: hide,
      declarations: (model) => Effect.zipRight(hide, registry.declarations(model)),
      run:
        options.recorded ??
        Effect.fn("schedule_tool_calls")(function* (calls, emit, onReply = () => {}) {
          yield* Effect.annotateCurrentSpan({
            "gen_ai.operation.name": "schedule_tool_calls",
            "gen_ai.input.messages": () => calls
          })
          const { runTurnCalls } = yield* lazy(() => import("./turn-calls.ts"))
          const run = runTurnCalls(calls, {
            around: { emit, asking, hooks, canAsk: options.canAsk },
            shown: { ...present, secrets: yield* secrets },
            news,
            onReply
          })
          return yield* Effect.provide(run, services)
        })
    })
  })

export const layer = (options: SchedulerOptions) => Layer.effect(ToolScheduler, make(options))
