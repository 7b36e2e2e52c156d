/** An agent with a scripted model and real tools of a test, for tests of its work: what it was sent, what the run was told. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import type { LocalAgent } from "../../src/agents/agent.ts"
import { AgentHost } from "../../src/agents/agent-host.ts"
import { runLocal } from "../../src/agents/run/run-local.ts"
import { Approval, type ApprovalAnswer, type ApprovalQuestion } from "../../src/approval/approval.ts"
import type * as RunBudget from "../../src/chat/limits/run-budget.ts"
import * as Flow from "../../src/kernel/flow.ts"
import { type ModelChunk, ModelClient, type ModelRequest } from "../../src/model/model-client.ts"
import * as SelectedModel from "../../src/model/selected-model.ts"
import { PlanMode } from "../../src/policy/plan-mode.ts"
import { Policy } from "../../src/policy/policy.ts"
import * as ContextFiles from "../../src/prompt/context-files.ts"
import type { ProtocolEvent } from "../../src/protocol/event.ts"
import { CallId, SessionId } from "../../src/protocol/ids.ts"
import type { ApprovalMode } from "../../src/protocol/modes.ts"
import * as Availability from "../../src/retry/availability/model-availability.ts"
import * as SessionRecorder from "../../src/session/record/session-recorder.ts"
import * as ChangeJournal from "../../src/session/undo/change-journal.ts"
import * as Skills from "../../src/skills/skills.ts"
import * as ToolRegistry from "../../src/tools/registry.ts"
import * as TurnNews from "../../src/tools/scheduling/turn-news.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { DEFAULT_TOOL_SETTINGS } from "../../src/tools/tool-selection.ts"
import { chatOptions, noLimits } from "./chat-room.ts"

export interface AgentScript {
  /** The answer to each request; `"never"`: none comes. */
  readonly model: (request: ModelRequest, index: number) => ReadonlyArray<ModelChunk> | "never"
  readonly tools?: ReadonlyArray<Tool>
  /** Tools that a person is asked about, and how they answer. */
  readonly asks?: ReadonlyArray<string>
  readonly approve?: (question: ApprovalQuestion) => Effect.Effect<ApprovalAnswer>
  readonly budget?: Layer.Layer<RunBudget.RunBudget>
  readonly maxTurns?: { readonly value: number; readonly source: string }
}

const template = (name: string): string => `\${${name}}`

export const agentOf = (changed: Partial<LocalAgent> = {}): LocalAgent => ({
  kind: "local",
  name: "scout",
  description: "Looks around.",
  instruction: { _tag: "own", text: `You look around (${template("activeModel")}, ${template("query")}).` },
  mcpServers: {},
  model: { name: "inherit", config: { temperature: 1 } },
  limits: { maxTurns: 5, maxMinutes: 10 },
  input: "query",
  ...changed
})

/** A tool that answers at once with what it got. */
export const echoTool = (name: string, run: Tool["prepare"] = echo): Tool => ({
  name,
  aliases: [],
  classNames: [],
  displayName: name,
  kind: "read",
  description: name,
  params: null,
  jsonSchema: { type: "object", properties: {} },
  prepare: run
})

const echo: Tool["prepare"] = (args) =>
  Effect.succeed({
    description: "echo",
    locations: [],
    confirmation: Effect.succeed({ type: "info", title: "?", prompt: "echo", urls: [] }),
    run: () => Effect.succeed({ forModel: JSON.stringify(args), display: { type: "text", text: "echoed" } as const })
  })

export const agentRoom = (script: AgentScript) => {
  const requests: Array<ModelRequest> = []
  const events: Array<ProtocolEvent> = []
  const questions: Array<ApprovalQuestion> = []
  const policyCalls: Array<{ readonly name: string; readonly subagent?: string | undefined }> = []
  const client = Layer.succeed(ModelClient, {
    stream: (request) => {
      const reply = script.model(request, requests.push(request) - 1)
      return reply === "never"
        ? Flow.never
        : Flow.map(Flow.fromArray(reply), (chunk) => ({ _tag: "Chunk", chunk }) as const)
    },
    generate: () => Effect.die("no utility model is expected to be asked"),
    countTokens: () => Effect.die("nobody is expected to count tokens"),
    embed: () => Effect.die("not used")
  })
  const approval = Layer.succeed(Approval, {
    ask: (question) => {
      questions.push(question)
      return script.approve?.(question) ?? Effect.succeed({ _tag: "Once" })
    }
  })
  const policy = Layer.mock(Policy, {
    decide: (call) =>
      Effect.sync(() => {
        policyCalls.push({ name: call.name, subagent: call.subagent })
        const verdict = script.asks?.includes(call.name) === true ? "ask" : "allow"
        return { verdict, reason: "the test says so", commands: [], considered: [] } as const
      }),
    hiddenTools: () => Effect.succeed([]),
    previewAlways: () => Effect.sync(() => undefined),
    rules: Effect.succeed([]),
    mode: Effect.succeed<ApprovalMode>("default"),
    problems: []
  })
  const planMode = Layer.mock(PlanMode, { mode: Effect.succeed<ApprovalMode>("default"), plansDir: "/plans" })
  const registry = Layer.effect(
    ToolRegistry.ToolRegistry,
    Effect.tap(ToolRegistry.make({ builtins: [], settings: DEFAULT_TOOL_SETTINGS }), (made) =>
      made.register(null, script.tools ?? [])
    )
  ).pipe(Layer.provide(planMode))
  const host = Layer.succeed(AgentHost, {
    sessionId: SessionId.make("parent"),
    version: "1.2.3",
    plansDir: "/plans",
    folders: ["/w"],
    chat: { room: chatOptions.room, detectsLoops: true, maxTurns: script.maxTurns, maxAttempts: 10 },
    scheduling: {
      canAsk: true,
      truncateThreshold: 40_000,
      outputDir: Effect.succeed(Option.some(join(tmpdir(), "gemini-agent-room"))),
      nestsMedia: () => false,
      secrets: Effect.succeed([])
    },
    configFor: ({ name }, aliases = {}) => ({
      model: aliases[`${name}-base`]?.modelConfig?.model ?? name,
      config: aliases[name]?.modelConfig?.generateContentConfig ?? {}
    }),
    utilityConfig: (alias) => ({ model: alias, config: {} }),
    router: Effect.succeed({
      route: () => Effect.succeed({ model: "routed", source: "test", latencyMs: 0, reasoning: "" })
    }),
    prompt: {
      instruction: () => Effect.succeed("the core instruction"),
      sessionContext: Effect.succeed("<session_context>here</session_context>"),
      takeWarnings: Effect.succeed([])
    },
    recorder: () => Effect.succeed(SessionRecorder.none),
    joinServers: () => Effect.void
  })
  const layer = Layer.mergeAll(
    client,
    approval,
    policy,
    planMode,
    registry,
    host,
    Layer.succeed(ContextFiles.ContextFiles, ContextFiles.none),
    Layer.succeed(Skills.Skills, Skills.none),
    Layer.succeed(ChangeJournal.ChangeJournal, ChangeJournal.none),
    Layer.effect(TurnNews.TurnNews, TurnNews.make),
    Layer.provide(SelectedModel.layer("m"), Availability.layer),
    script.budget ?? noLimits
  )
  const call = {
    callId: CallId.make("invoke_agent__1"),
    progress: () => Effect.void,
    emit: (event: ProtocolEvent) => Effect.sync(() => void events.push(event))
  }
  const run = (agent: LocalAgent, prompt = "find x") =>
    runLocal(agent, prompt, call).pipe(Effect.provide(layer), Effect.either)
  /** The steps of the agent, by name. */
  const steps = (): ReadonlyArray<string> =>
    events.map((event) => (event._tag === "Subagent" ? event.event._tag : event._tag))
  return { run, requests, events, questions, policyCalls, steps }
}
