/**
 * The agents of a run. This file is all that a run without definitions loads for them: what reads definitions, what runs
 * an agent and what speaks to remote ones is loaded when it is needed.
 */
import { join } from "node:path"
import { Context, Effect } from "effect"
import type { RegisteredAgent } from "../agents/agent.ts"
import { AgentRunner } from "../agents/agent-runner.ts"
import * as Agents from "../agents/agents.ts"
import type { AgentFolder } from "../agents/definition/definition-files.ts"
import { invokeAgentEntry } from "../agents/generated/invoke-agent.ts"
import { RemoteAgents } from "../agents/remote/remote-agents.ts"
import type { LoadedConfig } from "../config/load.ts"
import { projectBorder } from "../files/brought-file.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { fillVariables } from "../kernel/extension-variables.ts"
import { Stderr } from "../output/stderr.ts"
import { Policy } from "../policy/policy.ts"
import type { ExtensionParts } from "../protocol/extension-parts.ts"
import { lazyTool } from "../tools/catalogue.ts"
import type { JoinedTool } from "../tools/registry.ts"
import type { HostInput, makeRunner } from "./agent-host.ts"
import type { AppInput } from "./app.ts"

const isOn = ({ config: { settings }, plan }: AppInput): boolean =>
  !plan.bare && settings.get("experimental.enableAgents")

export const agents = Effect.fnUntraced(function* (input: AppInput) {
  if (!isOn(input)) return Agents.none
  const { config, extensions = [] } = input
  const remote = yield* RemoteAgents
  const policy = yield* Policy
  const stderr = yield* Stderr
  return yield* Agents.make({
    folders: foldersOf(config, extensions),
    overrides: config.settings.get("agents.overrides"),
    acknowledgements: { file: config.storage.agentAcknowledgmentsFile, project: config.environment.cwd },
    introduce: ({ agent }: RegisteredAgent) =>
      agent.kind === "local"
        ? Effect.dieMessage("a local agent has no card")
        : Effect.zipRight(askAbout(agent.name, policy), remote.introduce(agent)),
    isAsked: input.person !== undefined,
    warn: (text) => stderr.notice(`[WARNING] ${text}`)
  })
})

/** Whatever goes to another machine is asked about. */
const askAbout = Effect.fnUntraced(function* (name: string, policy: Policy["Type"]) {
  const { remoteRule } = yield* Effect.promise(() => import("../agents/remote/remote-rule.ts"))
  const rule = remoteRule(name, yield* policy.rules)
  if (rule !== undefined) yield* policy.addRules([rule])
})

/** A folder that is not trusted brings none; in the home folder the project's files are the user's. */
const foldersOf = (
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
export const agentTools: Effect.Effect<ReadonlyArray<JoinedTool>, never, Agents.Agents | AgentRunner> = Effect.map(
  Effect.context<Agents.Agents | AgentRunner>(),
  (services) => [{ tool: lazyTool(invokeAgentEntry, loadTool, Effect.succeed(pickServices(services))) }]
)

const pickServices = Context.pick(Agents.Agents, AgentRunner)

const loadTool = Effect.map(
  Effect.promise(() => import("../agents/invoke-agent.tool.ts")),
  ({ invokeAgent }) => invokeAgent
)

/** Agents work with everything that the run is made of. */
export const connectAgents = Effect.fnUntraced(function* (given: HostInput) {
  const runner = yield* AgentRunner
  const context = yield* Effect.context<RunnerServices>()
  const loaded = yield* cachedOnce(
    Effect.flatMap(
      Effect.promise(() => import("./agent-host.ts")),
      ({ makeRunner }) => Effect.provide(makeRunner(given), context)
    )
  )
  yield* runner.connect((agent, prompt, call) => Effect.flatMap(loaded, (run) => run(agent, prompt, call)))
})

type RunnerServices = Effect.Effect.Context<ReturnType<typeof makeRunner>>

export const remoteAgents = Effect.fnUntraced(function* (input: AppInput) {
  const context = yield* Effect.context<Stderr>()
  const loaded = yield* cachedOnce(
    Effect.flatMap(
      Effect.promise(() => import("./remote-agents.ts")),
      ({ makeRemoteAgents }) => Effect.provide(makeRemoteAgents(input), context)
    )
  )
  return RemoteAgents.of({
    introduce: (agent) => Effect.flatMap(loaded, (remote) => remote.introduce(agent)),
    run: (agent, prompt, call) => Effect.flatMap(loaded, (remote) => remote.run(agent, prompt, call))
  })
})
