/**
 * `activate_skill`: gives the model the instructions of a skill and opens its folder for reading. A person sees first
 * what the skill is for and what comes with it, unless it is one of our own.
 */
import { Effect, Schema } from "effect"
import { Workspace } from "../files/workspace.ts"
import { type Skill, skillId } from "../skills/skill.ts"
import { skillTree } from "../skills/skill-report.ts"
import { Skills } from "../skills/skills.ts"
import { NAME_DESCRIPTION, skillDeclaration } from "./skill-declaration.ts"
import { defineTool, ToolFailure } from "./tool.ts"

const Params = Schema.Struct({
  name: Schema.String.pipe(Schema.minLength(1)).annotations({ description: NAME_DESCRIPTION })
})

export const activateSkill = defineTool({
  ...skillDeclaration,
  params: Params,
  prepare: Effect.fnUntraced(function* ({ name }) {
    const skills = yield* Skills
    const skill = yield* findSkill(yield* skills.enabled, name)
    const { directory } = skill
    return {
      description: `Activate the skill ${skill.name}`,
      locations: directory === undefined ? [] : [{ path: directory }],
      confirmation: Effect.sync(() =>
        directory === undefined
          ? null
          : {
              type: "info" as const,
              title: `Activate the skill ${skill.name}?`,
              prompt: `${skill.description}\n\nThe model will follow its instructions and may read:\n${skillTree(directory)}`,
              urls: []
            }
      ),
      narrowing: { by: "argument" as const, key: "name", value: skill.name },
      run: () => activate(skill)
    }
  })
})

/** The name as it is, or in another case. */
const findSkill = (skills: ReadonlyArray<Skill>, name: string): Effect.Effect<Skill, ToolFailure> => {
  const found = skills.find((one) => one.name === name) ?? skills.find((one) => skillId(one.name) === skillId(name))
  return found === undefined
    ? new ToolFailure({
        type: "invalid_tool_params",
        message: `There is no skill '${name}'. There are: ${skills.map((one) => one.name).join(", ")}.`
      })
    : Effect.succeed(found)
}

const activate = Effect.fnUntraced(function* (skill: Skill) {
  const skills = yield* Skills
  const workspace = yield* Workspace
  const forModel = yield* Effect.mapError(skills.activate(skill), failed)
  if (skill.directory !== undefined) yield* Effect.mapError(workspace.allowRead(skill.directory), failed)
  return { forModel, display: { type: "text" as const, text: `Activated the skill ${skill.name}.` } }
})

const failed = ({ message }: { readonly message: string }) => new ToolFailure({ type: "execution_failed", message })
