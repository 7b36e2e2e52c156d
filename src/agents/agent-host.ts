/** What an agent takes from the run that it works in: everything that a chat is made of, and who keeps its session. */
import { Context, type Effect, type Scope } from "effect"
import type { ChatOptions } from "../chat/chat-options.ts"
import type { ModelAliases } from "../config/setting-schema/model-config.ts"
import type { ResolvedConfig } from "../model/model-configs.ts"
import type { ModelRouter } from "../model/routing/model-router.ts"
import type { UtilityModels } from "../model/utility-models.ts"
import type { SystemPrompt } from "../prompt/system-prompt.ts"
import type { SessionId } from "../protocol/ids.ts"
import type { SessionRecorder, SessionStart } from "../session/record/session-recorder.ts"
import type { ToolRegistry } from "../tools/registry.ts"
import type { SchedulerOptions } from "../tools/scheduling/scheduler.ts"
import type { LocalAgent } from "./agent.ts"

export class AgentHost extends Context.Tag("agent/agents/AgentHost")<
  AgentHost,
  {
    readonly sessionId: SessionId
    readonly version: string
    readonly plansDir: string
    /** Folders of the workspace. */
    readonly folders: ReadonlyArray<string>
    /** As those of the main agent. */
    readonly chat: Pick<ChatOptions, "room" | "detectsLoops" | "maxAttempts"> & {
      readonly maxTurns: ChatOptions["maxTurns"]["session"]
    }
    readonly scheduling: Omit<SchedulerOptions, "model">
    /** Parameters of a request by model or preset; `aliases` are presets of this agent. */
    readonly configFor: (
      request: { readonly name: string; readonly isRetry: boolean; readonly scope?: string },
      aliases?: ModelAliases
    ) => ResolvedConfig
    readonly utilityConfig: UtilityModels["Type"]["configFor"]
    /** Chooses a model where the session leaves that open. */
    readonly router: Effect.Effect<ModelRouter["Type"]>
    /** The instruction of the main agent, for a run in which nobody is asked, and the surroundings. */
    readonly prompt: SystemPrompt["Type"]
    readonly recorder: (start: SessionStart) => Effect.Effect<SessionRecorder["Type"], never, Scope.Scope>
    /** Starts servers of an agent and brings their tools into its registry. */
    readonly joinServers: (
      agent: Pick<LocalAgent, "name" | "mcpServers">
    ) => Effect.Effect<void, never, ToolRegistry | Scope.Scope>
  }
>() {}
