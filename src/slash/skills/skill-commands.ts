/**
 * Skills as commands: `/release-notes for 1.2` activates the skill and sends the rest as a prompt. The person has asked
 * for the skill by name, so nothing is asked; a rule that denies it counts all the same.
 */
import { Context, Effect } from "effect"
import { Workspace } from "../../files/workspace.ts"
import { Policy } from "../../policy/policy.ts"
import type { Skill } from "../../skills/skill.ts"
import { Skills } from "../../skills/skills.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import type { Command, CommandResult } from "../command.ts"
import { CommandError, failed } from "../command-error.ts"
import type { Discovered } from "../command-registry.ts"

export type SkillServices = Skills | Policy | LazyServices

/** Those that are turned on now. */
export const skillCommands: Effect.Effect<Discovered, never, SkillServices> = Effect.gen(function* () {
  const services = yield* Effect.context<SkillServices>()
  const skills = yield* Skills
  const commands = (yield* skills.enabled).map((skill) => skillCommand(skill, services))
  return { commands, notices: [] }
})

const skillCommand = (skill: Skill, services: Context.Context<SkillServices>): Command => {
  const { source } = skill
  const extension = source._tag === "Extension" ? source.extension : undefined
  return {
    // The registry puts the name of the extension before it. A command is one word.
    name: (extension === undefined ? skill.name : skill.name.slice(extension.length + 1)).replace(/\s+/g, "-"),
    description: skill.description,
    usage: "[request]",
    source: { _tag: "Skill", extension },
    run: ({ args }) => Effect.provide(activate(skill, args), services)
  }
}

const activate = Effect.fnUntraced(function* (skill: Skill, args: string) {
  const skills = yield* Skills
  const policy = yield* Policy
  const decision = yield* policy.decide({
    name: "activate_skill",
    args: { name: skill.name },
    kind: "other",
    isClientInitiated: true
  })
  // The rule that ships denies it where nobody can be asked; here somebody asked for it.
  if (decision.verdict === "deny" && decision.rule?.tier !== "default") {
    return yield* new CommandError({
      kind: "denied",
      detail: `The skill ${skill.name} is not activated: ${decision.reason}.`
    })
  }
  const before = yield* Effect.mapError(skills.activate(skill), failed)
  if (skill.directory !== undefined) yield* openFolder(skill.directory)
  const text = args === "" ? `Use the skill ${skill.name}.` : args
  return { _tag: "SubmitTyped", text, before } satisfies CommandResult as CommandResult
})

const openFolder = Effect.fnUntraced(function* (directory: string) {
  const lazy = yield* LazyServices
  const workspace = Context.get(yield* lazy.services, Workspace)
  yield* Effect.mapError(workspace.allowRead(directory), failed)
})
