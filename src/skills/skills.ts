/**
 * The skills of a session: which there are, which are turned on, and their texts. Light on purpose: a run in a home
 * without skills looks at four folders and loads nothing more.
 */

import { Context, Effect, Ref } from "effect"
import { lazy } from "../kernel/lazy.ts"
import { builtinSkills } from "./builtin-skills.ts"
import type { Discovered } from "./discover-skills.ts"
import { type Skill, type SkillError, skillId } from "./skill.ts"
import { listFolders, type SkillFolder } from "./skill-folders.ts"

export interface KnownSkill extends Skill {
  readonly isEnabled: boolean
}

export class Skills extends Context.Tag("agent/skills/Skills")<
  Skills,
  {
    /** In alphabetical order, those that are turned off included. */
    readonly all: Effect.Effect<ReadonlyArray<KnownSkill>>
    /** Those that the model may use. */
    readonly enabled: Effect.Effect<ReadonlyArray<Skill>>
    /** What the model reads once the skill is activated: the instructions as they are now, and what is beside them. */
    readonly activate: (skill: Skill) => Effect.Effect<string, SkillError>
    /** What was broken or replaced when the skills were read last. */
    readonly warnings: Effect.Effect<ReadonlyArray<string>>
    /** Reads the folders again. */
    readonly reload: Effect.Effect<void>
  }
>() {}

export interface SkillsOptions {
  /** From weak to strong. */
  readonly folders: ReadonlyArray<SkillFolder>
  /** `skills.disabled` */
  readonly disabled: ReadonlyArray<string>
  /** For the variables in texts of extensions. */
  readonly workspace: string
  readonly extensionPaths: ReadonlyMap<string, string>
}

export const make = Effect.fnUntraced(function* ({ disabled, extensionPaths, folders, workspace }: SkillsOptions) {
  const off = new Set(disabled.map(skillId))
  const discover = Effect.suspend(() => {
    const listed = listFolders(folders)
    return listed.length === 0
      ? Effect.succeed<Discovered>({ skills: builtinSkills, warnings: [] })
      : Effect.flatMap(
          lazy(() => import("./discover-skills.ts")),
          ({ discoverSkills }) => discoverSkills(builtinSkills, listed)
        )
  })
  const known = yield* Ref.make(yield* discover)
  const all = Effect.map(Ref.get(known), ({ skills }) =>
    skills.map((skill): KnownSkill => ({ ...skill, isEnabled: skill.isOff !== true && !off.has(skillId(skill.name)) }))
  )
  return Skills.of({
    all,
    enabled: Effect.map(all, (skills) => skills.filter(({ isEnabled }) => isEnabled)),
    activate: Effect.fn("Skills.activate")(function* (skill) {
      const { activatedText } = yield* lazy(() => import("./activated-text.ts"))
      return yield* activatedText(skill, { workspace, extensionPaths })
    }),
    warnings: Effect.map(Ref.get(known), ({ warnings }) => warnings),
    reload: Effect.flatMap(discover, (found) => Ref.set(known, found))
  })
})

/** Skills are turned off, for this run or by an administrator. */
export const none: Skills["Type"] = {
  all: Effect.succeed([]),
  enabled: Effect.succeed([]),
  activate: () => Effect.dieMessage("there are no skills"),
  warnings: Effect.succeed([]),
  reload: Effect.void
}
