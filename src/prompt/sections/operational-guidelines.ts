/** Tone of the answers, use of the tools, and where what should be remembered is written. */
import { bullets, hasTool, type SectionFacts } from "../section-facts.ts"

export const operationalGuidelines = (facts: SectionFacts): string =>
  ["# Answers", answers(facts), "# Tools", tools(facts), ...memory(facts)].join("\n")

const answers = (facts: SectionFacts): string =>
  bullets(
    "Short and direct, without preamble, praise or closing offers. GitHub Markdown where it helps.",
    "Always end with an answer in words: after tool results say what came out, what you changed and what is left.",
    "Say plainly what failed or what you could not do.",
    facts.isInteractive && "The user finds help with `/help` and reports faults of this program with `/bug`."
  )

const tools = (facts: SectionFacts): string =>
  bullets(
    "Calls in one turn run in parallel where they only read. Set `wait_for_previous: true` on a call that needs the one before it.",
    "Never edit the same file twice in one turn.",
    hasTool(facts, "run_shell_command") &&
      "Before a command that changes the system or files outside the project, say what it does and why. Choose non-interactive forms (`--yes`, `--no-pager`); start servers and watchers with `is_background`.",
    "A declined or refused call stays declined: do not repeat it or reach the same end another way. Offer an alternative."
  )

const memory = (facts: SectionFacts): ReadonlyArray<string> => {
  if (!["save_memory", "replace", "write_file"].some((name) => hasTool(facts, name))) return []
  const how = hasTool(facts, "save_memory") ? " (`save_memory`)" : ""
  return [
    "# Memory",
    "When asked to remember something, write it to exactly one place, never secrets or passing facts:",
    bullets(
      `What the team shares: \`${facts.contextFileName}\` of the project, or of the sub-folder it concerns.`,
      `The user's own notes on this project: ${facts.privateMemoryFile}`,
      facts.globalMemoryFile !== undefined && `The user's preferences everywhere: ${facts.globalMemoryFile}${how}`
    )
  ]
}
