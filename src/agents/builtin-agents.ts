/**
 * The agents that are always there, as far as every run has to know them: what the model is told of them. What they are
 * made of is loaded when one is called.
 */

export interface AgentSummary {
  readonly name: string
  readonly description: string
}

export const BUILTIN_AGENTS = [
  {
    name: "codebase_investigator",
    description:
      "Reads through a codebase and reports on it: where something is done, how parts hang together, what a change would touch. For questions about many files, before larger changes, and for causes of bugs. Changes nothing."
  },
  {
    name: "cli_help",
    description: "Answers questions about gemini itself, from its own documentation: flags, settings, files, features."
  },
  {
    name: "generalist",
    description:
      "Works on a self-contained task with all tools and reports the result: batches of edits, long commands, anything whose details need not stay in this conversation."
  }
] as const satisfies ReadonlyArray<AgentSummary>

export type BuiltinName = (typeof BUILTIN_AGENTS)[number]["name"]
