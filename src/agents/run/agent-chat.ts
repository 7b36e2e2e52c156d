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
import { isGemini3 } from "../../model/model-names.ts"
import { ModelRouter, type RoutingDecision, type RoutingQuestion } from "../../model/routing/model-router.ts"
import { SelectedModel } from "../../model/selected-model.ts"
import * as UtilityModels from "../../model/utility-models.ts"
import { Policy } from "../../policy/policy.ts"
import { ContextFiles, instructionMemory } from "../../prompt/context-files.ts"
import { agentSkills } from "../../prompt/sections/offers.ts"
import { SystemPrompt } from "../../prompt/system-prompt.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { agentPromptIdOf, SessionId } from "../../protocol/ids.ts"
import type { ApprovalMode } from "../../protocol/modes.ts"
import { type RunReader, RunReaders, readInTurn } from "../../protocol/run-readers.ts"
import type { SessionRecorder } from "../../session/record/session-recorder.ts"
import { Skills } from "../../skills/skills.ts"
import { ToolRegistry } from "../../tools/registry.ts"
import * as Scheduler from "../../tools/scheduling/scheduler.ts"
import { TurnNews } from "../../tools/scheduling/turn-news.ts"
import { ToolScheduler } from "../../tools/tool-scheduler.ts"
import { type AgentModel, INHERIT, type LocalAgent } from "../agent.ts"
import { AgentHost } from "../agent-host.ts"
import type { Teller } from "./agent-events.ts"
import {
  agentApproval,
  agentPolicy,
  internalDocs,
  makeAgentRegistry,
  makeCompletion,
  type TaskCompletion
} from "./agent-tools.ts"
import type { Stopwatch } from "./stopwatch.ts"

export interface AgentChat {
  readonly chat: Chat.Chat["Type"]
  readonly completion: TaskCompletion
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
  (event._tag === "RequestFinished" || event._tag === "RequestFailed") && event.role === "subagent"
    ? { ...event, role: "main" }
    : event

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

/** Which model an agent runs on, and with which parameters. The preset of an agent is called `<name>-config`. */
type Host = AgentHost["Type"]

/** Parameters of the model, with those of the agent over them, and what the settings say about its preset over both. */
const modelConfig = (agent: LocalAgent, host: Host) => {
  const preset = `${agent.name}-config`
  const base = `${preset}-base`
  return (model: string, { isRetry }: { readonly isRetry: boolean }) => {
    const plain = host.configFor({ name: model, isRetry })
    const resolved = host.configFor(
      { name: preset, isRetry, scope: agent.name },
      {
        [base]: { modelConfig: { model: plain.model, generateContentConfig: plain.config } },
        [preset]: { extends: base, modelConfig: { generateContentConfig: agent.model.config } }
      }
    )
    return { ...resolved, config: withOneThinking(resolved.model, resolved.config) }
  }
}

/** A level for newer models, a budget for older ones: both together are refused. */
const withOneThinking = (model: string, config: Readonly<Record<string, unknown>>) => {
  const { thinkingConfig } = config
  if (typeof thinkingConfig !== "object" || thinkingConfig === null) return config
  const unwanted = isGemini3(model) ? "thinkingBudget" : "thinkingLevel"
  const kept = Object.fromEntries(Object.entries(thinkingConfig).filter(([key]) => key !== unwanted))
  return { ...config, thinkingConfig: kept }
}

/** `undefined`: the model of the session, which may have to be chosen. */
const ownModel = ({ modernName, name }: AgentModel, sessionModel: string): string | undefined => {
  if (name === INHERIT) return undefined
  return modernName !== undefined && isGemini3(sessionModel) ? modernName : name
}

/** The services that choose for this agent: once, whatever it takes to answer. */
const modelServices = Effect.fnUntraced(function* (agent: LocalAgent, host: Host) {
  const selected = yield* SelectedModel
  const name = yield* selected.get
  const own = ownModel(agent.model, host.configFor({ name, isRetry: false }).model)
  if (own !== undefined) {
    const settled = { model: own, source: "agent-router/override", latencyMs: 0, reasoning: "the agent has its own" }
    return {
      selected: SelectedModel.of({ get: Effect.succeed(own), set: () => Effect.void }),
      router: ModelRouter.of({ route: () => Effect.succeed(settled) })
    }
  }
  const router = yield* host.router
  const decided = yield* Ref.make(Option.none<RoutingDecision>())
  const decide = (question: RoutingQuestion) =>
    Effect.tap(router.route(question), (decision) => Ref.set(decided, Option.some(decision)))
  return {
    selected,
    router: ModelRouter.of({
      route: (question) =>
        Effect.flatMap(Ref.get(decided), Option.match({ onNone: () => decide(question), onSome: Effect.succeed }))
    })
  }
})

/** What a local agent is told: its own instruction, and the rules under which every one of them works. */

/** Known to every instruction as `${name}`. */
type TemplateValues = Readonly<Record<string, string>>

/** Names that nobody knows stay as they are written. */
const filled = (template: string, values: TemplateValues): string =>
  template.replace(/\$\{(\w+)\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "") : written
  )

interface InstructionParts {
  /** Of the agent, templates filled in. */
  readonly own: string
  /** Context of the user; empty where there is none. */
  readonly memory: string
  readonly skills: string
  readonly mode: ApprovalMode
  readonly plansDir: string
}

const agentInstruction = (agent: LocalAgent, parts: InstructionParts): string =>
  [parts.own, parts.skills, parts.memory, planRule(parts), rules(agent)].filter((part) => part !== "").join("\n\n")

const planRule = ({ mode, plansDir }: InstructionParts): string =>
  mode === "plan"
    ? `# Plan mode\nPlan mode is on: look and think, and change nothing. Only Markdown plans in ${plansDir} may be written.`
    : ""

const rules = ({ output }: LocalAgent): string =>
  `# How you work
- Nobody reads along and nobody answers questions. Decide what is open yourself, and say in the end what you decided.
- Give tools absolute paths.
- Where a call is refused by a person or by a rule, do not repeat it: think again, and find another way or report what is in the way.
- When you are done, or cannot go on, call \`complete_task\` with ${output === undefined ? "your result" : `\`${output.name}\``}, alone and once. What you hand over there is all that anybody gets; an answer without a call counts as a failure.`

/** Stands in for a task that is empty. */
export const DEFAULT_QUERY = "Begin with your task."

/** The last word to an agent that ran into a limit or stopped without handing anything over. */
export const finalRequest = (why: string): string =>
  `${why} This is your last turn: call \`complete_task\` now, with what you have found or done so far and what is missing. No other tool is available, and nothing but that call is read.`
