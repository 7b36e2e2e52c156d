/** What an agent takes from its run, put together when the first one is called. */
import { Context, Effect, type Scope } from "effect"
import { type ChatFacts, chatOptions } from "../../chat/from-config.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { RunFolders } from "../../config/run-folders.ts"
import type { McpServer } from "../../config/setting-schema/mcp-server.ts"
import { WorkspaceRoots } from "../../config/workspace-roots.ts"
import { serviceOf } from "../../kernel/layers.ts"
import { version } from "../../kernel/version.ts"
import { administer } from "../../mcp/administered-servers.ts"
import { hubFromConfig } from "../../mcp/from-config.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { ModelAccess } from "../../model/model-access.ts"
import { resolveConfig, sourcesIn } from "../../model/model-configs.ts"
import { makeRouter } from "../../model/routing/from-config.ts"
import { Policy } from "../../policy/policy.ts"
import { type PolicyRule, rankOf } from "../../policy/rule.ts"
import { makeSystemPrompt, type PromptFacts } from "../../prompt/from-config.ts"
import type { RunFacts } from "../../protocol/run-facts.ts"
import { Sandbox } from "../../sandbox/sandbox.ts"
import { makeRecorder, type RecorderFacts } from "../../session/from-config.ts"
import { scheduling } from "../../tools/from-config.ts"
import { joinTools, loginDialogue, noticeOf } from "../../tools/mcp/join-servers.ts"
import type { ToolRegistry } from "../../tools/registry.ts"
import { AgentHost } from "../agent-host.ts"
import type { RunAgent } from "../agent-runner.ts"
import { RemoteAgents } from "../remote/remote-agents.ts"
import { runLocal } from "./run-local.ts"

/** What an agent has to know of the run that it works for. */
export type HostFacts = RecorderFacts &
  Pick<RunFacts, "acceptedPrograms"> &
  PromptFacts &
  Pick<ChatFacts, "sessionId" | "maxTurns" | "showsTextAtEnd">

// `trust: true` of an agent's own server: its tools run without a question, for this agent only.

/** As strong as the same word about a server in the settings. */
const PRIORITY = 200

export const trustedServerRules = (
  agent: string,
  servers: Readonly<Record<string, McpServer>>
): ReadonlyArray<PolicyRule> =>
  Object.entries(servers)
    .filter(([, { trust }]) => trust === true)
    .map(([server]) => ({
      toolName: "*",
      mcpName: server,
      subagent: agent,
      modes: ["default", "auto_edit", "yolo"],
      decision: "allow",
      rank: rankOf("user", PRIORITY),
      tier: "user",
      source: `agent ${agent}: mcp_servers.${server}.trust`
    }))

/** The context is that of the run: its tools, its policy, its model. */
export const makeRunner = Effect.fnUntraced(function* (config: LoadedConfig, run: HostFacts) {
  const remote = yield* RemoteAgents
  const context = Context.add(yield* Effect.context<RunServices>(), AgentHost, yield* makeHost(config, run))
  const runAgent: RunAgent = ({ agent }, prompt, call) =>
    agent.kind === "remote" ? remote.run(agent, prompt, call) : Effect.provide(runLocal(agent, prompt, call), context)
  return runAgent
})

type RunServices = Exclude<Effect.Effect.Context<ReturnType<typeof runLocal>>, AgentHost>

const makeHost = Effect.fnUntraced(function* (config: LoadedConfig, run: HostFacts) {
  const { names } = yield* ModelAccess
  const { plansDir } = yield* RunFolders
  const { included } = yield* WorkspaceRoots
  const services = yield* Effect.context<HostServices>()
  const sources = sourcesIn(config.settings)
  const configFor: AgentHost["Type"]["configFor"] = ({ name, ...request }, aliases) =>
    resolveConfig(
      { ...request, name: names.resolve(name) },
      aliases === undefined ? sources : { ...sources, runtimeAliases: aliases }
    )
  return AgentHost.of({
    sessionId: run.sessionId,
    version,
    plansDir,
    folders: [config.environment.cwd, ...included],
    chat: { ...(yield* chatOptions(config, run)), maxTurns: run.maxTurns },
    scheduling: yield* scheduling(config, run),
    configFor,
    utilityConfig: (alias) => configFor({ name: alias, isRetry: false }),
    router: Effect.provide(makeRouter(config, run), services),
    prompt: yield* makeSystemPrompt(config, { ...run, isInteractive: false }),
    recorder: (start) =>
      Effect.mapInputContext(makeRecorder(config, run, start), (own: Context.Context<Scope.Scope>) =>
        Context.merge(services, own)
      ),
    joinServers: (agent) =>
      Object.keys(agent.mcpServers).length === 0
        ? Effect.void
        : // The registry and the scope are the agent's: what the host was made in has others.
          Effect.mapInputContext(joinOwnServers(config, run, agent), (own: Context.Context<OwnServices>) =>
            Context.merge(services, own)
          )
  })
})

const joinOwnServers = Effect.fnUntraced(function* (
  config: LoadedConfig,
  run: HostFacts,
  { mcpServers, name }: Parameters<AgentHost["Type"]["joinServers"]>[0]
) {
  const policy = yield* Policy
  const { included } = yield* WorkspaceRoots
  const known = new Set((yield* policy.rules).map(({ source }) => source))
  yield* policy.addRules(trustedServerRules(name, mcpServers).filter(({ source }) => !known.has(source)))
  const hub = yield* serviceOf(
    McpHub,
    hubFromConfig({
      config,
      configured: ownServers(mcpServers, config),
      accepted: run.acceptedPrograms,
      agent: name,
      includeDirectories: included,
      sandbox: yield* Sandbox,
      ...(run.isInteractive ? { dialogue: yield* loginDialogue(config) } : {}),
      notice: yield* noticeOf
    })
  )
  yield* Effect.provideService(joinTools({ waitMs: config.settings.get("mcp.startTimeout") }), McpHub, hub)
})

/** What an administrator does not allow is not allowed to agents either. */
const ownServers = (mcpServers: Readonly<Record<string, McpServer>>, { settings }: LoadedConfig) => {
  const { blocked, servers } = administer(mcpServers, {
    isEnabled: settings.get("admin.mcp.enabled"),
    allowed: settings.get("admin.mcp.config"),
    required: {}
  })
  return { servers, origins: {}, blockedByAdmin: blocked }
}

type HostServices = Exclude<
  | Effect.Effect.Context<ReturnType<typeof makeRouter>>
  | Effect.Effect.Context<ReturnType<typeof makeRecorder>>
  | Effect.Effect.Context<ReturnType<typeof joinOwnServers>>,
  OwnServices
>

type OwnServices = ToolRegistry | Scope.Scope
