/** What `/agents` prints: who there is, and all about one of them. Pure. */
import type { RegisteredAgent } from "../../agents/agent.ts"
import type { AgentEntry, FoundAgents } from "../../agents/agents.ts"
import { problemText } from "../../agents/definition/agent-problem.ts"
import { placeOf } from "../../agents/registration.ts"

/** `offered`: those that the model may call. An enabled one that is not among them could not be reached. */
export const listText = (
  { agents, pending, problems, warnings }: FoundAgents,
  offered: ReadonlyArray<AgentEntry>
): string =>
  [
    ...agents.flatMap(({ agent, isEnabled, origin }) => {
      const entry = offered.find(({ name }) => name === agent.name)
      const state = isEnabled ? (entry === undefined ? ", not offered" : "") : ", disabled"
      return [`${agent.name} (${agent.kind}, ${origin}${state})`, ...described(entry?.description ?? agent.description)]
    }),
    ...pending.map(
      (one) => `${one.agent.name} (${one.agent.kind}, project): waits for your agreement, ${placeOf(one)}`
    ),
    ...problems.map((problem) => `! ${problemText(problem)}`),
    ...warnings.map((text) => `! ${text}`)
  ].join("\n")

const described = (description: string | undefined): ReadonlyArray<string> =>
  description === undefined ? [] : [`  ${description.trim().replaceAll("\n", "\n  ")}`]

export const agentDocument = ({ agent, file, isEnabled, origin }: RegisteredAgent) => ({
  name: agent.name,
  displayName: agent.displayName,
  kind: agent.kind,
  description: agent.description,
  origin,
  file,
  enabled: isEnabled
})

export const configText = (one: RegisteredAgent): string => {
  const { agent, isEnabled } = one
  const lines: ReadonlyArray<readonly [string, string]> =
    agent.kind === "remote"
      ? [
          ["card", agent.card._tag === "url" ? agent.card.url : "in its definition"],
          ["auth", agent.auth?.type ?? "none"]
        ]
      : [
          ["model", agent.model.name],
          ["parameters", JSON.stringify(agent.model.config)],
          ["maxTurns", String(agent.limits.maxTurns)],
          ["maxTimeMinutes", String(agent.limits.maxMinutes)],
          ["tools", agent.tools?.join(", ") ?? "all"],
          ...(Object.keys(agent.mcpServers).length === 0
            ? []
            : [["mcpServers", Object.keys(agent.mcpServers).join(", ")] as const])
        ]
  return [
    `${agent.name}: ${isEnabled ? "enabled" : "disabled"}, from ${placeOf(one)}`,
    ...lines.map(([name, value]) => `  ${name}: ${value}`),
    ...(agent.kind === "local" ? [`Change it with /agents config ${agent.name} ${CHANGEABLE.join("|")} <value>.`] : [])
  ].join("\n")
}

/** What `/agents config` changes, and where that stands below `agents.overrides.<name>`. */
export const CHANGES = {
  model: ["modelConfig", "model"],
  maxTurns: ["runConfig", "maxTurns"],
  maxTimeMinutes: ["runConfig", "maxTimeMinutes"]
} as const

export const CHANGEABLE = Object.keys(CHANGES) as ReadonlyArray<keyof typeof CHANGES>
