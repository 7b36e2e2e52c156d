/** Which of the agents that were found count: the first one of a name, with what the user changed about it. Pure. */
import type { AgentOverride } from "../config/setting-schema/model-config.ts"
import type { Agent, FoundAgent, LocalAgent, RegisteredAgent } from "./agent.ts"

export interface Registration {
  readonly agents: ReadonlyArray<RegisteredAgent>
  readonly warnings: ReadonlyArray<string>
}

/** `found` in the order of precedence. */
export const register = (
  found: ReadonlyArray<FoundAgent>,
  overrides: Readonly<Record<string, AgentOverride>>
): Registration => {
  const agents = new Map<string, RegisteredAgent>()
  const warnings: Array<string> = []
  for (const one of found) {
    const { name } = one.agent
    const first = agents.get(name)
    if (first === undefined) {
      const override = Object.hasOwn(overrides, name) ? overrides[name] : undefined
      agents.set(name, { ...one, agent: changed(one.agent, override), isEnabled: override?.enabled ?? true })
    } else warnings.push(`agent ${name} of ${placeOf(one)} is not used: ${placeOf(first)} has one of that name`)
  }
  return { agents: [...agents.values()], warnings }
}

export const placeOf = ({ extension, file, origin }: FoundAgent): string => {
  if (extension !== undefined) return `the extension ${extension}`
  return file ?? (origin === "built-in" ? "the program itself" : `the ${origin}`)
}

const changed = (agent: Agent, override: AgentOverride | undefined): Agent =>
  agent.kind === "remote" || override === undefined ? agent : changedLocal(agent, override)

const changedLocal = (agent: LocalAgent, { mcpServers, modelConfig, runConfig, tools }: AgentOverride): LocalAgent => ({
  ...agent,
  tools: tools ?? agent.tools,
  mcpServers: { ...agent.mcpServers, ...mcpServers },
  model: {
    name: modelConfig?.model ?? agent.model.name,
    // Whoever names a model means it on every session.
    ...(modelConfig?.model === undefined && agent.model.modernName !== undefined
      ? { modernName: agent.model.modernName }
      : {}),
    config: { ...agent.model.config, ...modelConfig?.generateContentConfig }
  },
  limits: {
    maxTurns: runConfig?.maxTurns ?? agent.limits.maxTurns,
    maxMinutes: runConfig?.maxTimeMinutes ?? agent.limits.maxMinutes
  }
})
