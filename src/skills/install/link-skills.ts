/** Skills that stay where they are and are used from there: a link in the folder of skills. */
import { mkdirSync, realpathSync, symlinkSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { strayReason } from "../../files/brought-file.ts"
import { lstatOrNone } from "../../system/regular-file.ts"
import { SkillInstallError } from "./install-error.ts"
import { unwritable } from "./install-skills.ts"
import { type FoundSkill, findSkills } from "./replace-skill.ts"

export interface LinkRequest {
  readonly folder: string
  readonly target: string
  /** Links of a project are followed in here only; absent for those of the user. */
  readonly border?: string | undefined
  readonly agree: (skills: ReadonlyArray<FoundSkill>) => Effect.Effect<boolean>
}

/** The links that were made; empty when the person did not agree. */
export const linkSkills = Effect.fn("Skills.link")(function* ({ agree, border, folder, target }: LinkRequest) {
  const real = yield* Effect.try({
    try: () => realpathSync(folder),
    catch: () => new SkillInstallError({ kind: "source", detail: `there is no folder ${folder}` })
  })
  if (border !== undefined && strayReason(real, [border]) !== undefined) {
    return yield* new SkillInstallError({
      kind: "source",
      detail: `a link out of the project, to ${real}, would not be followed`,
      advice: "Link it for the user, or install it into the project."
    })
  }
  const skills = yield* findSkills(real)
  if (!(yield* agree(skills))) return []
  return yield* Effect.try({ try: () => skills.map((skill) => link(skill, target)), catch: unwritable })
})

/** Another link gives way; a folder that somebody installed does not. */
const link = ({ directory, name }: FoundSkill, target: string): string => {
  const place = join(target, name)
  const present = lstatOrNone(place)
  if (present !== undefined && !present.isSymbolicLink()) {
    throw new SkillInstallError({
      kind: "taken",
      detail: `${place} is there already`,
      advice: `gemini skills uninstall ${name} removes it.`
    })
  }
  mkdirSync(target, { recursive: true })
  if (present !== undefined) unlinkSync(place)
  // Windows needs no rights for junctions.
  symlinkSync(directory, place, "junction")
  return place
}
