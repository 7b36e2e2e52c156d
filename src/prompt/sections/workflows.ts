/** How work is done: the usual cycle, the read-only one of plan mode, and the task tracker. */
import { bullets, hasTool, type SectionFacts } from "../section-facts.ts"

export const primaryWorkflows = (facts: SectionFacts): string =>
  [
    "# How to work",
    "Research, then strategy, then execution.",
    numbered(
      `Research: map the code and check assumptions${searchHint(facts)}. Reproduce reported faults.`,
      strategy(facts),
      "Execution, step by step: plan the change and its test, make it (small, complete, no leftovers), validate it.",
      "Validation is mandatory: run the project's own tests, build, type check and linter on what you changed. Without it the work is not done; say so when you could not run it.",
      "After three failed attempts at the same fix, stop, question your assumptions and take another way."
    ),
    "New applications: choose common, well supported tools unless told otherwise; build the whole of what was asked, without placeholders; run it; tell how to start it."
  ].join("\n")

const searchHint = (facts: SectionFacts): string => {
  const tools = ["grep_search", "glob", "read_file"].filter((name) => hasTool(facts, name))
  return tools.length === 0 ? "" : ` with ${tools.map((name) => `\`${name}\``).join(", ")}`
}

const strategy = (facts: SectionFacts): string => {
  if (facts.approvedPlan !== null)
    return `Strategy: the plan in ${facts.approvedPlan} is approved. Read it, follow it, and say so where you must depart from it.`
  const parts = [
    "Strategy: decide on a way that fits what you found.",
    hasTool(facts, "enter_plan_mode") && facts.isInteractive && "Large or risky changes: `enter_plan_mode` first.",
    hasTool(facts, "write_todos") && "Several steps: keep them in `write_todos`."
  ]
  return parts.filter((part) => part !== false).join(" ")
}

export const planningWorkflow = (facts: SectionFacts): string =>
  [
    "# Plan mode",
    bullets(
      "Everything is read-only but Markdown plans in the plans folder. Do not look for a way round; when asked to make changes now, say that plan mode is on.",
      `Plans folder: ${facts.plansDir}`,
      `Tools in this mode: ${facts.tools.length === 0 ? "none" : facts.tools.map((name) => `\`${name}\``).join(", ")}`
    ),
    numbered(
      "Explore: read what the task touches; find conventions, constraints, risks.",
      facts.isInteractive
        ? `Consult: where ways differ in what matters, put the choice to the user${hasTool(facts, "ask_user") ? " with `ask_user`" : ""}. An inquiry needs an answer, not a plan.`
        : "Decide: nobody can be consulted; choose, and write down why.",
      "Draft: write the plan as a Markdown file: goal, findings, steps with files, tests, how it is verified.",
      hasTool(facts, "exit_plan_mode")
        ? "Approve: call `exit_plan_mode` with the name of the file. Nothing is carried out before it is approved."
        : "Present the plan as your answer."
    ),
    facts.approvedPlan === null
      ? ""
      : `There is an approved plan: ${facts.approvedPlan}. A refinement edits that file; a new task gets a new one.`
  ].join("\n")

export const taskTracker = (facts: SectionFacts): string =>
  [
    "# Task tracker",
    `Work of more than a few steps is kept in the tracker (files in ${facts.trackerDir}; change them with the \`tracker_\` tools only).`,
    bullets(
      "Create tasks before you begin, with parents and dependencies; keep exactly the present one `in_progress`.",
      "Close a task only when it is verified. New findings become new tasks.",
      "After an interruption, look at the list first: it is what you know."
    )
  ].join("\n")

const numbered = (...lines: ReadonlyArray<string>): string =>
  lines.map((line, index) => `${index + 1}. ${line}`).join("\n")
