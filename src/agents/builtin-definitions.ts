/** What the built-in agents are made of: instructions, tools, limits and the form of their results. */
import { type AgentOutput, DEFAULT_TEMPERATURE, DEFAULT_TOP_P, INHERIT, type LocalAgent } from "./agent.ts"
import { BUILTIN_AGENTS, type BuiltinName } from "./builtin-agents.ts"

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
