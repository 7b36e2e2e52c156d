/** Skills that stay where they are and are used from there: a link in the folder of skills. */
import { lstatSync, mkdirSync, realpathSync, symlinkSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type FoundSkill, findSkills } from "./find-skills.ts"
import { SkillInstallError } from "./install-error.ts"
import { unwritable } from "./install-skills.ts"

export interface LinkRequest {
  readonly folder: string
  readonly target: string
  readonly agree: (skills: ReadonlyArray<FoundSkill>) => Effect.Effect<boolean>
}

/** The links that were made; empty when the person did not agree. */
export const linkSkills = Effect.fn("Skills.link")(function* ({ agree, folder, target }: LinkRequest) {
  const real = yield* Effect.try({
    try: () => realpathSync(folder),
    catch: () => new SkillInstallError({ kind: "source", detail: `there is no folder ${folder}` })
  })
  const skills = yield* findSkills(real)
  if (!(yield* agree(skills))) return []
  return yield* Effect.try({ try: () => skills.map((skill) => link(skill, target)), catch: unwritable })
})

/** Another link gives way; a folder that somebody installed does not. */
const link = ({ directory, name }: FoundSkill, target: string): string => {
  const place = join(target, name)
  const present = lstatSync(place, { throwIfNoEntry: false })
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
