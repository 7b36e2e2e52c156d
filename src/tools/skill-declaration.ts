/** What the model is told of `activate_skill`. Apart from the tool, because its names are those of the session's skills. */
import type { JsonSchema } from "./gemini-schema.ts"

export const skillDeclaration = {
  name: "activate_skill",
  aliases: [],
  classNames: ["ActivateSkillTool"],
  displayName: "Activate Skill",
  kind: "other",
  description:
    "Activates a skill: returns its instructions, to be followed from then on, and the files that come with it. " +
    "Use it once, as soon as a request fits the description of a skill."
} as const

export const NAME_DESCRIPTION = "The skill to activate."

export const skillParameters = (names: ReadonlyArray<string>): JsonSchema => ({
  type: "object",
  properties: { name: { type: "string", description: NAME_DESCRIPTION, enum: names } },
  required: ["name"]
})
