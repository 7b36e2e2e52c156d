/** What an agent takes from its run, put together when the first one is called. */
import { Context, Effect, type Scope } from "effect"
import { AgentHost } from "../agents/agent-host.ts"
import type { RunAgent } from "../agents/agent-runner.ts"
import { RemoteAgents } from "../agents/remote/remote-agents.ts"
import { runLocal } from "../agents/run/run-local.ts"
import { trustedServerRules } from "../agents/run/trusted-servers.ts"
import type { ChatOptions } from "../chat/chat-options.ts"
import { version } from "../cli/version.ts"
import type { LoadedConfig } from "../config/load.ts"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { serviceOf, withService } from "../kernel/services.ts"
import { administer } from "../mcp/administered-servers.ts"
import { hubFromConfig } from "../mcp/hub-from-config.ts"
import { McpHub } from "../mcp/mcp-hub.ts"
import { type ConfigSources, resolveConfig } from "../model/model-configs.ts"
import type { ModelNames } from "../model/session-names.ts"
import { Stderr } from "../output/stderr.ts"
import { Policy } from "../policy/policy.ts"
import type { ToolRegistry } from "../tools/registry.ts"
import type { AppInput } from "./app.ts"
import { dialogueOver, joinTools } from "./mcp-join.ts"
import { router } from "./model-choice.ts"
import { systemPrompt } from "./run-prompt.ts"
import { recorderOf } from "./run-recorder.ts"
import type { ToolPlaces } from "./tool-places.ts"

export interface HostInput {
  readonly input: AppInput
  readonly names: ModelNames
  readonly secrets: ReadonlyArray<Secret>
  readonly places: ToolPlaces
  readonly chat: Pick<ChatOptions, "room" | "detectsLoops" | "maxTurns" | "maxAttempts">
  readonly scheduling: AgentHost["Type"]["scheduling"]
  /** What the settings say about presets of request parameters. */
  readonly sources: ConfigSources
}

/** The context is that of the run: its tools, its policy, its model. */
export const makeRunner = Effect.fnUntraced(function* (given: HostInput) {
  const remote = yield* RemoteAgents
  const context = yield* Effect.context<RunServices>().pipe(withService(AgentHost, makeHost(given)))
  const run: RunAgent = ({ agent }, prompt, call) =>
    agent.kind === "remote" ? remote.run(agent, prompt, call) : Effect.provide(runLocal(agent, prompt, call), context)
  return run
})

type RunServices =
  | Exclude<Effect.Effect.Context<ReturnType<typeof runLocal>>, AgentHost>
  | Effect.Effect.Context<ReturnType<typeof makeHost>>

const makeHost = Effect.fnUntraced(function* ({ names, chat, input, places, scheduling, secrets, sources }: HostInput) {
  const { config, facts, plan } = input
  const { person, ...alone } = input
  const stderr = yield* Stderr
  const services = yield* Effect.context<HostServices>()
  const configFor: AgentHost["Type"]["configFor"] = ({ name, ...request }, aliases) =>
    resolveConfig(
      { ...request, name: names.resolve(name) },
      aliases === undefined ? sources : { ...sources, runtimeAliases: aliases }
    )
  return AgentHost.of({
    sessionId: facts.sessionId,
    version,
    plansDir: places.plansDir,
    folders: [config.environment.cwd, ...places.includeDirectories],
    chat: { ...chat, maxTurns: plan.maxTurns },
    scheduling,
    configFor,
    utilityConfig: (alias) => configFor({ name: alias, isRetry: false }),
    router: Effect.provide(router(input, names), services),
    prompt: yield* systemPrompt(alone, places),
    recorder: (start) => Effect.provideService(recorderOf(input, start, secrets), Stderr, stderr),
    joinServers: ({ mcpServers, name }) =>
      Object.keys(mcpServers).length === 0
        ? Effect.void
        : Effect.gen(function* () {
            const policy = yield* Policy
            const known = new Set((yield* policy.rules).map(({ source }) => source))
            yield* policy.addRules(trustedServerRules(name, mcpServers).filter(({ source }) => !known.has(source)))
            const hub = yield* serviceOf(
              McpHub,
              hubFromConfig({
                config,
                configured: ownServers(mcpServers, config),
                accepted: input.acceptedPrograms,
                agent: name,
                includeDirectories: places.includeDirectories,
                version,
                ...(person === undefined ? {} : { dialogue: dialogueOver(stderr, config.environment) }),
                notice: (severity, text) => stderr.notice(`[${severity.toUpperCase()}] ${text}`)
              })
            )
            yield* Effect.provideService(joinTools({ waitMs: config.settings.get("mcp.startTimeout") }), McpHub, hub)
            // The registry and the scope are the agent's: what the host was made in has others.
          }).pipe(Effect.mapInputContext((own: Context.Context<OwnServices>) => Context.merge(services, own)))
  })
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
  | Effect.Effect.Context<ReturnType<typeof router>>
  | Effect.Effect.Context<ReturnType<typeof systemPrompt>>
  | Effect.Effect.Context<ReturnType<typeof joinTools>>,
  OwnServices | McpHub
>

type OwnServices = ToolRegistry | Scope.Scope
