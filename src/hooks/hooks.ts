/**
 * The hooks of a run: one method for each event, which runs the programs that are meant and says what follows.
 *
 * Nothing here loads anything. A run without hooks has `none`, which is also what stands where nobody put another one:
 * no room has to be given what most runs do not use.
 */
import { Context, Effect } from "effect"
import type { Confirmation } from "../protocol/confirmation.ts"
import type { Part } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { McpContext } from "../protocol/run-facts.ts"
import type { AgentEnd, AgentStart, ModelEnd, ModelStart, ToolEnd, ToolStart } from "./decisions.ts"
import type { Hook } from "./hook.ts"
import type { HookEvent, SessionStartSource, ToldEvent, ToldWord } from "./hook-event.ts"
import type { HookedRequest, HookedResponse } from "./llm-exchange.ts"

/** Where hooks tell of themselves: that one runs, what it has to say, what went wrong. */
export type Tell = (event: ProtocolEvent) => Effect.Effect<void>

export interface HookedCall {
  readonly name: string
  /** Older names of the tool, which matchers may still use. */
  readonly aliases: ReadonlyArray<string>
  readonly args: Readonly<Record<string, unknown>>
  /** The MCP server of the tool. */
  readonly mcpContext?: McpContext | undefined
  /** The tool that the model asked for, where this call took its place. */
  readonly originalName?: string | undefined
}

export interface HookedResult {
  readonly forModel: string | ReadonlyArray<Part>
  readonly display: string
  readonly error: string | undefined
}

/** A hook as `/hooks` shows it. */
export interface HookStatus {
  readonly hook: Hook
  readonly isEnabled: boolean
  /** The project's, and not confirmed in its present form: it does not run. */
  readonly isPending: boolean
}

export interface HooksView {
  /** Whether somebody listens: asked before anything is computed or held back for them. */
  readonly has: (event: HookEvent, kind?: { readonly streams: boolean }) => Effect.Effect<boolean>
  /** What the model should know from the beginning. */
  readonly sessionStart: (source: SessionStartSource, tell: Tell) => Effect.Effect<string | undefined>
  /** Something happens, and goes on whatever hooks answer. */
  readonly told: <Event extends ToldEvent>(event: Event, why: ToldWord<Event>, tell: Tell) => Effect.Effect<void>
  readonly beforeAgent: (prompt: string, tell: Tell) => Effect.Effect<AgentStart>
  readonly afterAgent: (
    turn: { readonly prompt: string; readonly response: string; readonly isRetry: boolean },
    tell: Tell
  ) => Effect.Effect<AgentEnd>
  readonly beforeModel: (request: HookedRequest, tell: Tell) => Effect.Effect<ModelStart>
  /** The parameters of the request from here on. */
  readonly beforeToolSelection: (request: HookedRequest, tell: Tell) => Effect.Effect<HookedRequest["config"]>
  readonly afterModel: (
    answer: { readonly request: HookedRequest; readonly response: HookedResponse; readonly isPiece: boolean },
    tell: Tell
  ) => Effect.Effect<ModelEnd>
  readonly beforeTool: (call: HookedCall, tell: Tell) => Effect.Effect<ToolStart>
  readonly afterTool: (call: HookedCall, result: HookedResult, tell: Tell) => Effect.Effect<ToolEnd>
  readonly notification: (confirmation: Confirmation, tell: Tell) => Effect.Effect<void>
  readonly list: Effect.Effect<ReadonlyArray<HookStatus>>
  /** Names or commands that do not run from now on, instead of those before. */
  readonly setDisabled: (names: ReadonlySet<string>) => Effect.Effect<void>
}

export const none: HooksView = {
  has: () => Effect.succeed(false),
  sessionStart: () => Effect.succeed(undefined),
  told: () => Effect.void,
  beforeAgent: () => Effect.succeed({ _tag: "GoOn", context: undefined }),
  afterAgent: () => Effect.succeed({ _tag: "Accepted" }),
  beforeModel: () => Effect.succeed({ _tag: "Ask", change: undefined }),
  beforeToolSelection: ({ config }) => Effect.succeed(config),
  afterModel: () => Effect.succeed({ _tag: "GoOn", replacement: undefined }),
  beforeTool: () => Effect.succeed({ _tag: "GoOn", args: undefined, mustAsk: undefined }),
  afterTool: () => Effect.succeed({ _tag: "GoOn", context: undefined, tailCall: undefined }),
  notification: () => Effect.void,
  list: Effect.succeed([]),
  setDisabled: () => Effect.void
}

export class Hooks extends Context.Reference<Hooks>()("agent/hooks/Hooks", { defaultValue: () => none }) {}
