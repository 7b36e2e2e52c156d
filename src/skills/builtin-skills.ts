/** Skills that come with the program. Only their names and purposes are here; the text is loaded when one is used. */
import type { Skill } from "./skill.ts"

interface BuiltinSkill {
  readonly description: string
  readonly load: () => Promise<{ readonly instructions: string }>
}

const BUILTIN: Readonly<Record<string, BuiltinSkill>> = {
  "skill-creator": {
    description:
      "How to write a new skill or improve an existing one: its folder, its SKILL.md, scripts and references beside it.",
    load: () => import("./builtin/skill-creator.ts")
  }
}

export const builtinSkills: ReadonlyArray<Skill> = Object.entries(BUILTIN).map(([name, { description }]) => ({
  name,
  description,
  location: "(built in)",
  directory: undefined,
  source: { _tag: "BuiltIn" }
}))

export const builtinInstructions = async (name: string): Promise<string> =>
  (await BUILTIN[name]?.load())?.instructions ?? ""
