/**
 * An agent is a chat like the main one: the same loop, with its own instruction, tools, model and limits. Here its
 * services are put together; the loop itself is nowhere written twice.
 */
import { DateTime, Effect, Layer, Option, Ref } from "effect"
import { Approval } from "../../approval/approval.ts"
import * as Chat from "../../chat/chat.ts"
import type { RunBudget } from "../../chat/limits/run-budget.ts"
import { Hooks, type HooksView, none } from "../../hooks/hooks.ts"
import { service, serviceOf, services, withLayer } from "../../kernel/layers.ts"
import type { ModelClient } from "../../model/model-client.ts"
import { ModelRouter } from "../../model/routing/model-router.ts"
import { SelectedModel } from "../../model/selected-model.ts"
import * as UtilityModels from "../../model/utility-models.ts"
import { Policy } from "../../policy/policy.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import { instructionMemory } from "../../prompt/memory-text.ts"
import { agentSkills } from "../../prompt/sections/offers.ts"
import { SystemPrompt } from "../../prompt/system-prompt.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { agentPromptIdOf, SessionId } from "../../protocol/ids.ts"
import { type RunReader, RunReaders, readInTurn } from "../../protocol/run-readers.ts"
import type { SessionRecorder } from "../../session/record/session-recorder.ts"
import { Skills } from "../../skills/skills.ts"
import { ToolRegistry } from "../../tools/registry.ts"
import * as Scheduler from "../../tools/scheduling/scheduler.ts"
import { TurnNews } from "../../tools/scheduling/turn-news.ts"
import { ToolScheduler } from "../../tools/tool-scheduler.ts"
import type { LocalAgent } from "../agent.ts"
import { AgentHost } from "../agent-host.ts"
import { internalDocs } from "../docs/get-internal-docs.ts"
import type { Teller } from "./agent-events.ts"
import { modelConfig, modelServices } from "./agent-model.ts"
import { agentInstruction, filled } from "./agent-prompt.ts"
import { agentApproval, agentPolicy, makeAgentRegistry } from "./agent-tools.ts"
import { type Completion, makeCompletion } from "./complete-task.ts"
import type { Stopwatch } from "./stopwatch.ts"

export interface AgentChat {
  readonly chat: Chat.Chat["Type"]
  readonly completion: Completion
  readonly recorder: SessionRecorder["Type"]
  /** What came up before its work and is not known to its caller either. */
  readonly news: ReadonlyArray<string>
  /** From here on only `complete_task` is offered, and one answer is the end. */
  readonly beginLastTurn: Effect.Effect<void>
}

export interface AgentWork {
  readonly agent: LocalAgent
  readonly agentId: string
  readonly task: string
  readonly watch: Stopwatch
  readonly teller: Teller
}

/** What ends the work as one limit of the agent's own is told apart from limits of the run by this. */
export const turnLimitOf = ({ limits, name }: LocalAgent) => ({
  value: limits.maxTurns,
  source: `max_turns of the agent ${name}`
})

export const makeAgentChat = Effect.fnUntraced(function* (work: AgentWork) {
  const { agent, agentId, teller, watch } = work
  const host = yield* AgentHost
  const isLastTurn = yield* Ref.make(false)
  const completion = yield* makeCompletion(agent.output)
  const sessionId = SessionId.make(agentId)
  const recorder = yield* host.recorder({
    sessionId,
    kind: "subagent",
    parentId: host.sessionId,
    directories: host.folders
  })
  const { registry, warnings } = yield* makeAgentRegistry(agent, [completion.tool, ...internalDocs(agent)])
  yield* Effect.forEach(warnings, (message) => teller.step({ _tag: "Notice", severity: "warning", message }))
  yield* Effect.provideService(host.joinServers(agent), ToolRegistry, registry)

  const news = yield* Effect.flatMap(TurnNews, ({ beside }) => beside)
  const own = services(yield* Effect.context<SharedServices>()).pipe(
    withLayer(service(TurnNews, Effect.succeed(news))),
    withLayer(service(ToolRegistry, Effect.succeed(registry))),
    withLayer(service(Policy, agentPolicy(agent, isLastTurn))),
    withLayer(service(Approval, agentApproval(agent, watch))),
    withLayer(
      service(UtilityModels.UtilityModels, UtilityModels.make(host.utilityConfig, agentPromptIdOf(agentId, 0)))
    ),
    // The run counts what its agents take, and is told before the agent goes on: no limit is passed unseen.
    withLayer(service(RunReaders, Effect.succeed(readInTurn([{ onEvent: teller.pass }, withOwnRole(recorder)])))),
    withLayer(service(Hooks, Effect.map(Hooks, withoutPromptHooks)))
  )
  const ownServices = yield* Layer.build(own)
  const models = yield* Effect.provide(modelServices(agent, host), ownServices)
  const modelFor = modelConfig(agent, host)
  const { model } = modelFor(yield* models.selected.get, { isRetry: false })
  const talking = services(ownServices).pipe(
    withLayer(service(SelectedModel, Effect.succeed(models.selected))),
    withLayer(service(ModelRouter, Effect.succeed(models.router))),
    withLayer(service(ToolScheduler, Scheduler.make({ ...host.scheduling, model }))),
    withLayer(service(SystemPrompt, agentSystemPrompt(work, model)))
  )
  const chat = yield* serviceOf(
    Chat.Chat,
    withLayer(
      service(
        Chat.Chat,
        Chat.make({
          promptId: (count) => agentPromptIdOf(agentId, count),
          role: "subagent",
          modelFor,
          maxTurns: { session: host.chat.maxTurns, prompt: turnLimitOf(agent) },
          room: host.chat.room,
          detectsLoops: host.chat.detectsLoops,
          checksNextSpeaker: false,
          // Nobody reads its words as they come.
          restartable: true,
          maxAttempts: host.chat.maxAttempts,
          isDone: Effect.zipWith(
            completion.result,
            Ref.get(isLastTurn),
            (result, isLast) => Option.isSome(result) || isLast
          )
        })
      )
    )(talking)
  )
  const made: AgentChat = {
    chat,
    completion,
    recorder,
    news: yield* news.drain,
    beginLastTurn: Ref.set(isLastTurn, true)
  }
  return made
})

/** What stays as it is in the run. */
type SharedServices =
  | AgentHost
  | ModelClient
  | Policy
  | Approval
  | ToolRegistry
  | ContextFiles
  | Skills
  | SelectedModel
  | RunBudget
  | Effect.Effect.Context<ReturnType<typeof Scheduler.make>>
  | Effect.Effect.Context<ReturnType<typeof makeAgentRegistry>>

/** Nobody prompts an agent: what waits for prompts and their answers has its turn around the work of the main one. */
const withoutPromptHooks = (hooks: HooksView): HooksView => ({
  ...hooks,
  has: (event, kind) =>
    event === "BeforeAgent" || event === "AfterAgent" ? Effect.succeed(false) : hooks.has(event, kind),
  beforeAgent: none.beforeAgent,
  afterAgent: none.afterAgent
})

/** In its own session it is the main one. */
const withOwnRole = (recorder: SessionRecorder["Type"]): RunReader => ({
  ...recorder,
  onEvent: (event) => recorder.onEvent(asMain(event))
})

const asMain = (event: ProtocolEvent): ProtocolEvent =>
  event._tag === "RequestFinished" && event.role === "subagent" ? { ...event, role: "main" } : event

const agentSystemPrompt = Effect.fnUntraced(function* ({ agent, task }: AgentWork, activeModel: string) {
  const { plansDir, prompt, version } = yield* AgentHost
  const policy = yield* Policy
  const contextFiles = yield* ContextFiles
  const skills = yield* Skills
  const now = yield* DateTime.now
  const values = {
    [agent.input]: task,
    cliVersion: version,
    activeModel,
    today: DateTime.formatIsoDateUtc(now)
  }
  const { instruction } = agent
  return SystemPrompt.of({
    sessionContext: prompt.sessionContext,
    takeWarnings: Effect.succeed([]),
    instruction: Effect.fnUntraced(function* (facts) {
      const mode = yield* policy.mode
      const isCore = instruction._tag === "core"
      return agentInstruction(agent, {
        own: isCore ? yield* prompt.instruction(facts) : filled(instruction.text, values),
        // The core instruction brings it along.
        memory: isCore ? "" : instructionMemory(yield* contextFiles.files),
        skills: !isCore && facts.tools.includes("activate_skill") ? agentSkills(yield* skills.enabled) : "",
        mode,
        plansDir
      })
    })
  })
})
