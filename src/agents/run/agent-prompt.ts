/** What a local agent is told: its own instruction, and the rules under which every one of them works. Pure. */
import type { ApprovalMode } from "../../protocol/modes.ts"
import type { LocalAgent } from "../agent.ts"

/** Known to every instruction as `${name}`. */
export type TemplateValues = Readonly<Record<string, string>>

/** Names that nobody knows stay as they are written. */
export const filled = (template: string, values: TemplateValues): string =>
  template.replace(/\$\{(\w+)\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "") : written
  )

export interface InstructionParts {
  /** Of the agent, templates filled in. */
  readonly own: string
  /** Context of the user; empty where there is none. */
  readonly memory: string
  readonly skills: string
  readonly mode: ApprovalMode
  readonly plansDir: string
}

export const agentInstruction = (agent: LocalAgent, parts: InstructionParts): string =>
  [parts.own, parts.skills, parts.memory, planRule(parts), rules(agent)].filter((part) => part !== "").join("\n\n")

const planRule = ({ mode, plansDir }: InstructionParts): string =>
  mode === "plan"
    ? `# Plan mode\nPlan mode is on: look and think, and change nothing. Only Markdown plans in ${plansDir} may be written.`
    : ""

const rules = ({ output }: LocalAgent): string =>
  `# How you work
- Nobody reads along and nobody answers questions. Decide what is open yourself, and say in the end what you decided.
- Give tools absolute paths.
- Where a call is refused by a person or by a rule, do not repeat it: think again, and find another way or report what is in the way.
- When you are done, or cannot go on, call \`complete_task\` with ${output === undefined ? "your result" : `\`${output.name}\``}, alone and once. What you hand over there is all that anybody gets; an answer without a call counts as a failure.`

/** Stands in for a task that is empty. */
export const DEFAULT_QUERY = "Begin with your task."

/** The last word to an agent that ran into a limit or stopped without handing anything over. */
export const finalRequest = (why: string): string =>
  `${why} This is your last turn: call \`complete_task\` now, with what you have found or done so far and what is missing. No other tool is available, and nothing but that call is read.`
