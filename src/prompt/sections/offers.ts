/** What else the model may call on: sub-agents and skills, with their names. Also used by a user's own system prompt. */
import type { OfferedAgent, SkillEntry } from "../section-facts.ts"

export const agentContexts = (agents: ReadonlyArray<OfferedAgent>): string =>
  [
    "# Sub-agents",
    "Delegate with `invoke_agent` what would fill your context without being needed there: broad searches, long reads, repetitive batches, anything with much output. State goal, limits and the form of the answer; a sub-agent knows nothing of this conversation. Do small things yourself. Never run two agents at once that change the same files.",
    "<available_subagents>",
    ...agents.map(({ description, name }) => entry("subagent", { name, description })),
    "</available_subagents>"
  ].join("\n")

export const agentSkills = (skills: ReadonlyArray<SkillEntry>): string =>
  [
    "# Skills",
    "Skills are instructions for special tasks. When one fits, call `activate_skill` with its name and follow what it returns.",
    "<available_skills>",
    ...skills.map(({ description, location, name }) => entry("skill", { name, description, location })),
    "</available_skills>"
  ].join("\n")

const entry = (tag: string, fields: Readonly<Record<string, string>>): string =>
  [
    `  <${tag}>`,
    ...Object.entries(fields).map(([key, value]) => `    <${key}>${escaped(value)}</${key}>`),
    `  </${tag}>`
  ].join("\n")

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(/\s+/g, " ").trim()
