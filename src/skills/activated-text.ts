/** What the model reads when a skill is activated. The file is read anew: a person may be working on it. */
import { Effect, Option } from "effect"
import { strayReason } from "../files/brought-file.ts"
import { fillVariables } from "../kernel/extension-variables.ts"
import { frameName, insideFrame } from "../kernel/prompt-frames.ts"
import { builtinInstructions } from "./builtin-skills.ts"
import { readSkill } from "./read-skill.ts"
import { type Skill, SkillError } from "./skill.ts"
import { skillTree } from "./skill-report.ts"

export interface TextSurroundings {
  readonly workspace: string
  readonly extensionPaths: ReadonlyMap<string, string>
}

export const activatedText = Effect.fnUntraced(function* (skill: Skill, around: TextSurroundings) {
  const instructions = yield* instructionsOf(skill, around)
  return [
    `<activated_skill name="${frameName(skill.name)}">`,
    "<instructions>",
    insideFrame(instructions),
    "</instructions>",
    "<available_resources>",
    skill.directory === undefined ? "(none)" : insideFrame(skillTree(skill.directory)),
    "</available_resources>",
    "</activated_skill>"
  ].join("\n")
})

const instructionsOf = Effect.fnUntraced(function* (skill: Skill, around: TextSurroundings) {
  const { location: file, source } = skill
  if (source._tag === "BuiltIn") return yield* Effect.promise(() => builtinInstructions(skill.name))
  const stray = skill.border === undefined ? undefined : strayReason(file, [skill.border])
  if (stray !== undefined) return yield* new SkillError({ file, atLine: 1, detail: `the file ${stray}` })
  const read = yield* readSkill(file)
  if (Option.isNone(read)) return yield* new SkillError({ file, atLine: 1, detail: "the file is gone" })
  const { body } = read.value
  if (source._tag !== "Extension") return body
  const extensionPath = around.extensionPaths.get(source.extension) ?? ""
  return fillVariables(body, { extensionPath, workspacePath: around.workspace })
})
