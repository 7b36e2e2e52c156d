/**
 * The built-in system instruction: its sections in their order, with the condition of each. Every word is paid for in
 * every request, so a section that does not apply is not sent. `GEMINI_PROMPT_<KEY>=0` leaves one out.
 */
import { hasTool, isLegacyModel, type SectionFacts } from "../section-facts.ts"
import { coreMandates } from "./core-mandates.ts"
import { agentContexts, agentSkills } from "./offers.ts"
import { operationalGuidelines } from "./operational-guidelines.ts"
import { preamble } from "./preamble.ts"
import { finalReminder, git, hookContext, interactiveYolo, sandbox } from "./surroundings.ts"
import { planningWorkflow, primaryWorkflows, taskTracker } from "./workflows.ts"

interface Section {
  /** Absent: cannot be switched off. */
  readonly key?: string
  readonly applies: (facts: SectionFacts) => boolean
  readonly text: (facts: SectionFacts) => string
}

const always = (): boolean => true

const SECTIONS: ReadonlyArray<Section> = [
  { key: "preamble", applies: always, text: preamble },
  { key: "coreMandates", applies: always, text: coreMandates },
  {
    key: "agentContexts",
    applies: (facts) => hasTool(facts, "invoke_agent"),
    text: ({ agents }) => agentContexts(agents)
  },
  {
    key: "agentSkills",
    applies: (facts) => facts.skills.length > 0 && hasTool(facts, "activate_skill"),
    text: ({ skills }) => agentSkills(skills)
  },
  { key: "hookContext", applies: always, text: hookContext },
  { key: "primaryWorkflows", applies: ({ mode }) => mode !== "plan", text: primaryWorkflows },
  { key: "planningWorkflow", applies: ({ mode }) => mode === "plan", text: planningWorkflow },
  { applies: (facts) => facts.tools.some((name) => name.startsWith("tracker_")), text: taskTracker },
  { key: "operationalGuidelines", applies: always, text: operationalGuidelines },
  {
    key: "interactiveYoloMode",
    applies: ({ isInteractive, mode }) => isInteractive && mode === "yolo",
    text: interactiveYolo
  },
  { key: "sandbox", applies: (facts) => facts.sandbox !== "none", text: sandbox },
  { key: "git", applies: ({ isGitRepository }) => isGitRepository, text: git },
  { key: "finalReminder", applies: ({ model }) => isLegacyModel(model), text: finalReminder }
]

/** `variable` looks up the switches. */
export const builtinInstruction = (facts: SectionFacts, variable: (name: string) => string | undefined): string =>
  SECTIONS.filter(({ applies, key }) => applies(facts) && (key === undefined || isOn(variable(switchOf(key)))))
    .map(({ text }) => text(facts))
    .join("\n\n")

const switchOf = (key: string): string => `GEMINI_PROMPT_${key.toUpperCase()}`

const isOn = (value: string | undefined): boolean => !["0", "false"].includes(value?.trim().toLowerCase() ?? "")
