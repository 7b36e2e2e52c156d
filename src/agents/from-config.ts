/**
 * The agents of a run. This file is all that a run without definitions loads for them: what reads definitions, what runs
 * an agent and what speaks to remote ones is loaded when it is needed.
 */
import { join } from "node:path"
import { Context, Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { projectBorder } from "../files/brought-file.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { fillVariables } from "../kernel/extension-variables.ts"
import { effectLayer, service, withLayer } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { PlanMode } from "../policy/plan-mode.ts"
import { Policy } from "../policy/policy.ts"
import { PromptStates } from "../prompt/from-config.ts"
import { Notices } from "../protocol/notices.ts"
import type { ExtensionParts, RunFacts } from "../protocol/run-facts.ts"
import { Skills } from "../skills/skills.ts"
import { lazyTool } from "../tools/catalogue.ts"
import { AgentTools } from "../tools/registry.ts"
import { Topic } from "../tools/topic.ts"
import type { RegisteredAgent } from "./agent.ts"
import * as AgentRunner from "./agent-runner.ts"
import * as Agents from "./agents.ts"
import type { AgentFolder } from "./definition/definition-files.ts"
import { invokeAgentEntry } from "./generated/invoke-agent.ts"
import { RemoteAgents } from "./remote/remote-agents.ts"
import type { HostFacts, makeRunner } from "./run/run-host.ts"

type AgentFacts = Pick<RunFacts, "isBare" | "isInteractive" | "extensions">

/** Those that there are, the tool that calls them, and what the instruction says of the moment. */
export const layer = (config: LoadedConfig, run: AgentFacts) =>
  service(RemoteAgents, remoteAgents(config, run)).pipe(
    withLayer(service(Agents.Agents, makeAgents(config, run))),
    withLayer(service(AgentRunner.AgentRunner, AgentRunner.make)),
    withLayer(service(AgentTools, agentTools)),
    withLayer(service(PromptStates, promptStates))
  )

const makeAgents = Effect.fnUntraced(function* (
  config: LoadedConfig,
  { extensions, isBare, isInteractive }: AgentFacts
) {
  if (isBare || !config.settings.get("experimental.enableAgents")) return Agents.none
  const remote = yield* RemoteAgents
  const policy = yield* Policy
  const { warn } = yield* Notices
  return yield* Agents.make({
    // What the program brings itself stays.
    folders: config.settings.get("admin.agents.enabled") ? agentFolders(config, extensions) : [],
    overrides: config.settings.get("agents.overrides"),
    acknowledgements: { file: config.storage.agentAcknowledgmentsFile, project: config.environment.cwd },
    introduce: ({ agent }: RegisteredAgent) =>
      agent.kind === "local"
        ? Effect.dieMessage("a local agent has no card")
        : Effect.zipRight(askAbout(agent.name, policy), remote.introduce(agent)),
    // As with the rules of the project: only a stored trust covers no more than what was confirmed.
    acceptsProject: config.trust.reason !== "rule",
    isAsked: isInteractive,
    warn
  })
})

/** Whatever goes to another machine is asked about. */
const askAbout = Effect.fnUntraced(function* (name: string, policy: Policy["Type"]) {
  const { remoteRule } = yield* lazy(() => import("./remote/remote-rule.ts"))
  const rule = remoteRule(name, yield* policy.rules)
  if (rule !== undefined) yield* policy.addRules([rule])
})

/** A folder that is not trusted brings none; in the home folder the project's files are the user's. */
export const agentFolders = (
  { environment, storage, trust }: LoadedConfig,
  extensions: ReadonlyArray<ExtensionParts>
): ReadonlyArray<AgentFolder> => [
  ...(trust.trust === "trusted" && storage.projectDir !== storage.userDir
    ? [
        {
          folder: join(storage.projectDir, "agents"),
          origin: "project" as const,
          border: projectBorder(environment.cwd, environment)
        }
      ]
    : []),
  { folder: storage.userAgentsDir, origin: "user" },
  ...extensions.map(({ name, path }) => ({
    folder: join(path, "agents"),
    origin: "extension" as const,
    border: path,
    extension: name,
    fillIn: (text: string) => fillVariables(text, { extensionPath: path, workspacePath: environment.cwd })
  }))
]

/** Known to the model by its declaration; its code is loaded with the first call. */
const agentTools = Effect.map(Effect.context<Agents.Agents | AgentRunner.AgentRunner>(), (services) => [
  { tool: lazyTool(invokeAgentEntry, loadTool, Effect.succeed(pickServices(services))) }
])

const pickServices = Context.pick(Agents.Agents, AgentRunner.AgentRunner)

const loadTool = Effect.map(
  lazy(() => import("./invoke-agent.tool.ts")),
  ({ invokeAgent }) => invokeAgent
)

const promptStates = Effect.gen(function* () {
  const planMode = yield* PlanMode
  const topic = yield* Topic
  const agents = yield* Agents.Agents
  const skills = yield* Skills
  const current = Effect.gen(function* () {
    const mode = yield* planMode.mode
    const approvedPlan = yield* planMode.approvedPlan
    const { title } = yield* topic.current
    return { mode, approvedPlan, topic: title, skills: yield* skills.enabled, agents: yield* agents.entries }
  })
  return PromptStates.of({ current })
})

/** Agents work with everything that the run is made of: this layer comes last of what they use. */
export const connected = (config: LoadedConfig, run: HostFacts) =>
  effectLayer(
    Effect.gen(function* () {
      const runner = yield* AgentRunner.AgentRunner
      const context = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof makeRunner>>>()
      const loaded = yield* cachedOnce(
        Effect.flatMap(
          lazy(() => import("./run/run-host.ts")),
          ({ makeRunner }) => Effect.provide(makeRunner(config, run), context)
        )
      )
      yield* runner.connect((agent, prompt, call) =>
        Effect.flatMap(loaded, (runAgent) => runAgent(agent, prompt, call))
      )
    })
  )

const remoteAgents = Effect.fnUntraced(function* (config: LoadedConfig, run: Pick<RunFacts, "isInteractive">) {
  const context = yield* Effect.context<Notices>()
  const loaded = yield* cachedOnce(
    Effect.flatMap(
      lazy(() => import("./remote/from-config.ts")),
      ({ makeRemoteAgents }) => Effect.provide(makeRemoteAgents(config, run), context)
    )
  )
  return RemoteAgents.of({
    introduce: (agent) => Effect.flatMap(loaded, (remote) => remote.introduce(agent)),
    run: (agent, prompt, call) => Effect.flatMap(loaded, (remote) => remote.run(agent, prompt, call))
  })
})
