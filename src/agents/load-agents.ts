/** Reads all definitions and settles which agents there are. Loaded where a definition or a change of an agent exists. */
import { Duration, Effect, Fiber, Option, type Scope } from "effect"
import { cachedOnce } from "../kernel/cached-once.ts"
import { agreedIn, isAgreed } from "./acknowledgements.ts"
import {
  type AgentOutput,
  DEFAULT_TEMPERATURE,
  DEFAULT_TOP_P,
  type FoundAgent,
  INHERIT,
  type LocalAgent,
  problemText,
  type RegisteredAgent
} from "./agent.ts"
import type { AgentEntry, AgentsOptions, FoundAgents } from "./agents.ts"
import { BUILTIN_AGENTS, type BuiltinName } from "./builtin-agents.ts"
import { readAgentFolder } from "./definition/agent-folder.ts"
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
    origin === "project" && !options.acceptsProject && !isAgreed(agreed, { name: agent.name, fingerprint })
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

/** What the built-in agents are made of: instructions, tools, limits and the form of their results. */
type Details = Omit<LocalAgent, "kind" | "name" | "description" | "mcpServers">

export const builtinDefinitions = (): ReadonlyArray<LocalAgent> =>
  BUILTIN_AGENTS.map(({ description, name }) => ({
    kind: "local",
    name,
    description,
    mcpServers: {},
    ...DETAILS[name]
  }))

const text = (description: string) => ({ type: "string", description })
const list = (items: object, description: string) => ({ type: "array", items, description })

const INVESTIGATION: AgentOutput = {
  name: "report",
  description: "What was found, as an object.",
  schema: {
    type: "object",
    properties: {
      SummaryOfFindings: text("What was found and what follows from it, for somebody who will act on it."),
      ExplorationTrace: list({ type: "string" }, "The steps of the search, in order."),
      RelevantLocations: list(
        {
          type: "object",
          properties: {
            FilePath: text("The file."),
            Reasoning: text("Why it matters."),
            KeySymbols: list({ type: "string" }, "Functions, types and names in it that matter.")
          },
          required: ["FilePath", "Reasoning", "KeySymbols"]
        },
        "The files that matter, the most important one first."
      )
    },
    required: ["SummaryOfFindings", "ExplorationTrace", "RelevantLocations"]
  }
}

const HELP: AgentOutput = {
  name: "report",
  description: "The answer, as an object.",
  schema: {
    type: "object",
    properties: {
      answer: text("The answer, exact and short."),
      sources: list({ type: "string" }, "The documents that it comes from.")
    },
    required: ["answer", "sources"]
  }
}

const WORK: AgentOutput = {
  name: "result",
  description: "What came of the task, as an object.",
  schema: {
    type: "object",
    properties: { response: text("What was done, and what whoever asked has to know.") },
    required: ["response"]
  }
}

const INVESTIGATOR_INSTRUCTION = `You investigate codebases for another agent, which will act on your report and sees nothing else of your work.

- Find out what the objective needs, not more: begin with names and text that it mentions, follow calls, types and configuration from there.
- Read before you conclude. A name is a hint, the code is the fact; say what you did not check.
- Look for what a change would touch beside the obvious: callers, tests, other platforms, generated files, documentation.
- You only look. Nothing is changed and nothing is run.
- When further reading would not change the report, stop and report: the findings, the path that led to them, and every file that matters with the reason and its key symbols.

The objective is in the first message.`

const HELP_INSTRUCTION = `You answer questions about the program "gemini", version \${cliVersion}, in which you run (model \${activeModel}, \${today}).

- Its documentation is in get_internal_docs: without a path it lists the documents, with a path it shows one. Look before you answer; read what could hold the answer.
- Answer from the documents only. Give names of flags, settings and files exactly as they stand there.
- Where the documents do not say it, say that they do not.`

/** As much as the model finds useful; newer models are asked for it by level, which is high without a word. */
const DEEP_THINKING = { includeThoughts: true, thinkingBudget: -1 }

const DETAILS: Readonly<Record<BuiltinName, Details>> = {
  codebase_investigator: {
    displayName: "Codebase Investigator",
    instruction: { _tag: "own", text: INVESTIGATOR_INSTRUCTION },
    tools: ["list_directory", "read_file", "glob", "grep_search"],
    model: {
      name: "gemini-2.5-pro",
      modernName: "gemini-3-flash-preview",
      config: { temperature: 0.1, topP: DEFAULT_TOP_P, thinkingConfig: DEEP_THINKING }
    },
    limits: { maxTurns: 50, maxMinutes: 10 },
    input: "objective",
    output: INVESTIGATION
  },
  cli_help: {
    displayName: "CLI Help",
    instruction: { _tag: "own", text: HELP_INSTRUCTION },
    tools: ["get_internal_docs"],
    model: {
      name: "flash",
      config: { temperature: 0.1, topP: DEFAULT_TOP_P, thinkingConfig: DEEP_THINKING }
    },
    limits: { maxTurns: 10, maxMinutes: 3 },
    input: "question",
    output: HELP
  },
  generalist: {
    displayName: "Generalist",
    instruction: { _tag: "core" },
    model: { name: INHERIT, config: { temperature: DEFAULT_TEMPERATURE, topP: DEFAULT_TOP_P } },
    limits: { maxTurns: 20, maxMinutes: 10 },
    input: "request",
    output: WORK
  }
}
