/** `/agents`: the agents of this session, turning them on and off, and their models and limits. */
import { Effect, Option } from "effect"
import { problemText, type RegisteredAgent } from "../../agents/agent.ts"
import { type AgentEntry, Agents, type FoundAgents } from "../../agents/agents.ts"
import { placeOf } from "../../agents/registration.ts"
import { storeSetting } from "../../config/edit-settings.ts"
import { Settings } from "../../config/settings.ts"
import { Storage } from "../../config/storage.ts"
import { closestName } from "../../kernel/closest-name.ts"
import { type Command, type CommandQuestion, type CommandResult, type Invocation, print, slash } from "../command.ts"
import { parseArguments } from "../command-arguments.ts"
import { CommandError, failed, usageOf } from "../command-error.ts"

type Services = Agents | Settings | Storage

/** What `/agents config` changes, and where that stands below `agents.overrides.<name>`. */
const CHANGES = {
  model: ["modelConfig", "model"],
  maxTurns: ["runConfig", "maxTurns"],
  maxTimeMinutes: ["runConfig", "maxTimeMinutes"]
} as const

const CHANGEABLE = Object.keys(CHANGES) as ReadonlyArray<keyof typeof CHANGES>

const refuseIfOff = Effect.gen(function* () {
  const settings = yield* Settings
  if (!settings.get("experimental.enableAgents")) {
    return yield* new CommandError({ kind: "failed", detail: "Agents are switched off (experimental.enableAgents)." })
  }
})

const list = Effect.fnUntraced(function* () {
  yield* refuseIfOff
  return yield* told(yield* Agents, "")
})

/** Waits for the cards of remote agents: what they say of themselves, or that they cannot be reached. */
const told = ({ entries, found }: Agents["Type"], before: string) =>
  Effect.zipWith(found, entries, (now, offered) =>
    print(`${before}${listText(now, offered)}`, now.agents.map(agentDocument))
  )

/** What is new in the project is asked about. */
const reload = Effect.fnUntraced(function* ({
  isInteractive
}: Invocation): Effect.fn.Return<CommandResult, CommandError, Services> {
  yield* refuseIfOff
  const agents = yield* Agents
  const found = yield* agents.reload
  const again = told(agents, "Read again.\n")
  if (found.pending.length === 0 || !isInteractive) return yield* again
  const names = found.pending.map(({ agent }) => agent.name).join(", ")
  const question: CommandQuestion = {
    text: `This project brings agents that are new or have changed: ${names}. Do you want to use them?`,
    choices: [
      { value: "yes", label: "Yes, use them" },
      { value: "no", label: "No, not now" }
    ],
    answer: (value) =>
      (value === "yes" ? agents.agreeTo(found.pending) : Effect.void).pipe(
        Effect.mapError(failed),
        Effect.zipRight(again)
      )
  }
  return { _tag: "Ask", question }
})

const known = Effect.fnUntraced(function* (name: string) {
  yield* refuseIfOff
  const { agents } = yield* Effect.flatMap(Agents, ({ found }) => found)
  const one = agents.find(({ agent }) => agent.name === name)
  if (one !== undefined) return one
  const close = closestName(
    name,
    agents.map(({ agent }) => agent.name)
  )
  const advice = close === undefined ? {} : { advice: `Did you mean ${close}?` }
  return yield* new CommandError({ kind: "usage", detail: `There is no agent ${name}.`, ...advice })
})

const complete = Effect.fnUntraced(function* (typed: string) {
  const { agents } = yield* Effect.flatMap(Agents, ({ found }) => found)
  const candidates = agents
    .filter(({ agent }) => agent.name.startsWith(typed))
    .map(({ agent, isEnabled }) => ({ value: agent.name, hint: isEnabled ? agent.kind : "disabled" }))
  return { from: 0, candidates }
})

/** Settings are read at start, so a change builds the session anew. */
const change = Effect.fnUntraced(function* (
  name: string,
  inside: ReadonlyArray<string>,
  value: unknown,
  scope: string | undefined
): Effect.fn.Return<CommandResult, CommandError, Services> {
  const storage = yield* Storage
  const file = scope === "workspace" ? storage.projectSettingsFile : storage.userSettingsFile
  const target = { scope: scope === "workspace" ? ("workspace" as const) : ("user" as const), file }
  const path = { key: "agents.overrides" as const, inside: [name, ...inside] }
  const isChanged = yield* storeSetting(target, path, value).pipe(Effect.mapError(failed))
  const told = `agents.overrides.${name}.${inside.join(".")} is ${JSON.stringify(value)} in ${file}.`
  return isChanged ? { _tag: "Reconfigure", told } : print(`${file}: nothing to change.`)
})

const SCOPE = "[--scope user|workspace]"

const turn = (verb: "enable" | "disable", description: string): Command<Services> =>
  slash<Services>({
    name: verb,
    description,
    usage: `<name> ${SCOPE}`,
    complete,
    run: Effect.fnUntraced(function* ({ args }) {
      const { text, value } = parseArguments(args, ["scope"])
      if (text === "" || !isScope(value("scope"))) return yield* usageOf(`agents ${verb}`, `<name> ${SCOPE}`)
      const { agent } = yield* known(text)
      return yield* change(agent.name, ["enabled"], verb === "enable", value("scope"))
    })
  })

const isScope = (scope: string | undefined): boolean => scope === undefined || scope === "user" || scope === "workspace"

const CONFIG_USAGE = `<name> [${CHANGEABLE.join("|")} <value>] ${SCOPE}`

const config = slash<Services>({
  name: "config",
  description: "Model and limits of an agent",
  usage: CONFIG_USAGE,
  complete,
  run: Effect.fnUntraced(function* ({ args }) {
    const { value, words } = parseArguments(args, ["scope"])
    const [name, key, text] = words
    if (name === undefined || words.length > 3 || !isScope(value("scope"))) {
      return yield* usageOf("agents config", CONFIG_USAGE)
    }
    const one = yield* known(name)
    if (key === undefined) return print(configText(one), agentDocument(one))
    const wanted = CHANGEABLE.find((known) => known === key)
    const given = wanted === undefined || text === undefined ? Option.none() : givenValue(wanted, text)
    if (wanted === undefined || Option.isNone(given)) return yield* usageOf("agents config", CONFIG_USAGE)
    return yield* change(name, CHANGES[wanted], given.value, value("scope"))
  })
})

/** Limits are numbers above zero, turns whole ones. */
const givenValue = (key: (typeof CHANGEABLE)[number], text: string): Option.Option<string | number> => {
  if (key === "model") return Option.some(text)
  const number = Number(text)
  const isUsable = Number.isFinite(number) && number > 0 && (key !== "maxTurns" || Number.isInteger(number))
  return isUsable ? Option.some(number) : Option.none()
}

export const agents = slash<Services>({
  name: "agents",
  description: "Sub-agents: who there is, on and off, models and limits",
  run: list,
  subcommands: [
    slash<Services>({ name: "list", description: "Who there is", run: list }),
    slash<Services>({ name: "reload", aliases: ["refresh"], description: "Read all definitions again", run: reload }),
    turn("enable", "Turn an agent on"),
    turn("disable", "Turn an agent off"),
    config
  ]
})

/** `offered`: those that the model may call. An enabled one that is not among them could not be reached. */
const listText = ({ agents, pending, problems, warnings }: FoundAgents, offered: ReadonlyArray<AgentEntry>): string =>
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

const agentDocument = ({ agent, file, isEnabled, origin }: RegisteredAgent) => ({
  name: agent.name,
  displayName: agent.displayName,
  kind: agent.kind,
  description: agent.description,
  origin,
  file,
  enabled: isEnabled
})

const configText = (one: RegisteredAgent): string => {
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
