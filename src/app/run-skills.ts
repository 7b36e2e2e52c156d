/** The skills of a run: where they are, the tool that activates them, and what the model is told of them. */
import { Context, Effect } from "effect"
import { Stderr } from "../output/stderr.ts"
import { skillFolders } from "../skills/skill-folders.ts"
import * as Skills from "../skills/skills.ts"
import { LazyServices } from "../tools/lazy-services.ts"
import type { JoinedTool } from "../tools/registry.ts"
import { skillDeclaration, skillParameters } from "../tools/skill-declaration.ts"
import { provideTool, type Tool } from "../tools/tool.ts"
import type { AppInput } from "./app.ts"

/** A folder that is not trusted brings none of its own; a `--bare` run has none at all. */
export const skills = Effect.fnUntraced(function* ({ config, extensions = [], plan }: AppInput) {
  const { environment, settings, storage, trust } = config
  if (plan.bare || !settings.get("skills.enabled") || !settings.get("admin.skills.enabled")) return Skills.none
  const made = yield* Skills.make({
    folders: skillFolders({
      extensions,
      userDir: storage.userSkillsDir,
      sharedDir: storage.sharedSkillsDir,
      project: trust.trust === "trusted" ? environment.cwd : undefined
    }),
    disabled: settings.get("skills.disabled"),
    workspace: environment.cwd,
    extensionPaths: new Map(extensions.map(({ name, path }) => [name, path]))
  })
  const warnings = yield* made.warnings
  if (warnings.length > 0) {
    const stderr = yield* Stderr
    yield* Effect.forEach(warnings, (text) => stderr.notice(`[WARNING] ${text}`), { discard: true })
  }
  return made
})

/** Offered while there is a skill to activate, with the names of those that there are. */
export const skillTools = Effect.gen(function* () {
  const known = yield* Skills.Skills
  const { services } = yield* LazyServices
  const tool: Tool = {
    ...skillDeclaration,
    params: null,
    prepare: (args) =>
      Effect.gen(function* () {
        const { activateSkill } = yield* Effect.promise(() => import("../tools/activate-skill.tool.ts"))
        const context = Context.add(yield* services, Skills.Skills, known)
        return yield* provideTool(activateSkill, context).prepare(args)
      })
  }
  const joined: JoinedTool = {
    tool,
    after: "glob",
    isOffered: Effect.map(known.enabled, (enabled) => enabled.length > 0),
    current: Effect.map(known.enabled, (enabled) => ({
      ...tool,
      jsonSchema: skillParameters(enabled.map(({ name }) => name))
    }))
  }
  return [joined]
})
