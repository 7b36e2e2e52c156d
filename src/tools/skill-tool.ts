/** `activate_skill` as it is before its code is loaded: offered while there is a skill, with the names of all of them. */

import { Context, Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import { Skills } from "../skills/skills.ts"
import type { BuiltinServices } from "./builtin-tools.ts"
import type { JoinedTool } from "./registry.ts"
import { skillDeclaration, skillParameters } from "./skill-declaration.ts"
import { provideTool, type Tool } from "./tool.ts"

export const skillTool = (
  skills: Skills["Type"],
  services: Effect.Effect<Context.Context<BuiltinServices>>
): JoinedTool => {
  const tool: Tool = {
    ...skillDeclaration,
    params: null,
    prepare: (args) =>
      Effect.gen(function* () {
        const { activateSkill } = yield* lazy(() => import("./activate-skill.tool.ts"))
        const context = Context.add(yield* services, Skills, skills)
        return yield* provideTool(activateSkill, context).prepare(args)
      })
  }
  return {
    tool,
    after: "glob",
    isOffered: Effect.map(skills.enabled, (enabled) => enabled.length > 0),
    current: Effect.map(skills.enabled, (enabled) => ({
      ...tool,
      jsonSchema: skillParameters(enabled.map(({ name }) => name))
    }))
  }
}
