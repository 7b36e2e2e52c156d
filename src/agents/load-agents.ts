/** Reads all definitions and settles which agents there are. Loaded where a definition or a change of an agent exists. */
import { Duration, Effect, Fiber, Option, type Scope } from "effect"
import { cachedOnce } from "../kernel/cached-once.ts"
import { agreedIn, isAgreed } from "./acknowledgements.ts"
import type { FoundAgent, RegisteredAgent } from "./agent.ts"
import type { AgentEntry, AgentsOptions, FoundAgents } from "./agents.ts"
import { builtinDefinitions } from "./builtin-definitions.ts"
import { readAgentFolder } from "./definition/agent-folder.ts"
import { problemText } from "./definition/agent-problem.ts"
import { register } from "./registration.ts"
import type { CardFacts } from "./remote/remote-agents.ts"

export interface LoadedAgents {
  readonly found: FoundAgents
  readonly callable: Effect.Effect<ReadonlyMap<string, RegisteredAgent>>
  readonly entries: Effect.Effect<ReadonlyArray<AgentEntry>>
}

/** A card that takes longer is told of, and its agent is not offered. */
const CARD_WITHIN = Duration.seconds(10)

export const loadAgents = Effect.fn("Agents.load")(function* (
  options: AgentsOptions & { readonly scope: Scope.Scope }
): Effect.fn.Return<LoadedAgents> {
  const folders = yield* Effect.forEach(options.folders, readAgentFolder)
  const agreed = agreedIn(options.acknowledgements.file, options.acknowledgements.project)
  const all = folders.flatMap(({ found }) => found)
  const isPending = ({ agent, fingerprint, origin }: FoundAgent) =>
    origin === "project" && !isAgreed(agreed, { name: agent.name, fingerprint })
  const builtins = builtinDefinitions().map(
    (agent): FoundAgent => ({ agent, origin: "built-in", fingerprint: agent.name })
  )
  const { agents, warnings } = register([...builtins, ...all.filter((one) => !isPending(one))], options.overrides)
  const found: FoundAgents = {
    agents,
    pending: all.filter(isPending),
    problems: folders.flatMap(({ problems }) => problems),
    warnings
  }
  const told = [...found.problems.map(problemText), ...warnings, ...(options.isAsked ? [] : announced(found.pending))]
  yield* Effect.forEach(told, options.warn, { discard: true })

  // Whoever turns away while cards are read must not keep others from getting them.
  const reading = yield* cachedOnce(Effect.forkIn(Effect.interruptible(introduced(agents, options)), options.scope))
  const known = Effect.flatMap(reading, Fiber.join)
  const offered = Effect.map(known, (cards) =>
    agents.filter(({ agent, isEnabled }) => isEnabled && (agent.kind === "local" || cards.has(agent.name)))
  )
  return {
    found,
    callable: Effect.map(offered, (list) => new Map(list.map((one) => [one.agent.name, one]))),
    entries: Effect.zipWith(known, offered, (cards, list) => list.map((one) => entryOf(one, cards.get(one.agent.name))))
  }
})

const announced = (pending: ReadonlyArray<FoundAgent>): ReadonlyArray<string> =>
  pending.length === 0
    ? []
    : [
        `agents of this project are not used, because they are new or have changed: ${pending.map(({ agent }) => agent.name).join(", ")} (start gemini here in a terminal to agree to them)`
      ]

/** The cards of the remote agents that could be read. */
const introduced = Effect.fnUntraced(function* (agents: ReadonlyArray<RegisteredAgent>, options: AgentsOptions) {
  const remote = agents.filter(({ agent, isEnabled }) => isEnabled && agent.kind === "remote")
  const cards = yield* Effect.forEach(
    remote,
    (one) =>
      options.introduce(one).pipe(
        Effect.timeoutFail({
          duration: CARD_WITHIN,
          onTimeout: () => ({ message: `its card did not come within ${Duration.format(CARD_WITHIN)}` })
        }),
        Effect.tap(({ warnings }) =>
          Effect.forEach(warnings, (text) => options.warn(`agent ${one.agent.name}: ${text}`))
        ),
        Effect.map((facts) => [one.agent.name, facts] as const),
        Effect.tapError(({ message }) => options.warn(`agent ${one.agent.name} is not offered: ${message}`)),
        Effect.option
      ),
    { concurrency: 8 }
  )
  return new Map<string, CardFacts>(cards.flatMap(Option.toArray))
})

const entryOf = ({ agent }: RegisteredAgent, card: CardFacts | undefined): AgentEntry => ({
  name: agent.name,
  description: [agent.description, card?.description].filter((text) => text !== undefined && text !== "").join("\n")
})
