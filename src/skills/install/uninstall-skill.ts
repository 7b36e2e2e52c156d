/** Removes a skill from the folder of a scope. Of one that is linked, only the link goes. */
import { lstatSync, readdirSync, rmSync, unlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Either, Option } from "effect"
import { readSkill } from "../read-skill.ts"
import { skillId } from "../skill.ts"
import { SkillInstallError } from "./install-error.ts"
import { unwritable } from "./install-skills.ts"
import { removeIfEmpty } from "./replace-skill.ts"

/** By the name in its file, or by that of its folder where the file is broken. Gives what was removed. */
export const uninstallSkill = Effect.fn("Skills.uninstall")(function* (name: string, target: string) {
  const folders = namesIn(target)
  const named = yield* Effect.filter(folders, (folder) =>
    Effect.map(Effect.either(readSkill(join(target, folder, "SKILL.md"))), (read) =>
      Either.isRight(read) && Option.isSome(read.right)
        ? skillId(read.right.value.name) === skillId(name)
        : skillId(folder) === skillId(name)
    )
  )
  const [folder] = named
  if (folder === undefined) {
    return yield* new SkillInstallError({ kind: "missing", detail: `There is no skill "${name}" in ${target}` })
  }
  return yield* Effect.try({ try: () => remove(join(target, folder), target), catch: unwritable })
})

const remove = (place: string, target: string): string => {
  if (lstatSync(place).isSymbolicLink()) unlinkSync(place)
  else rmSync(place, { recursive: true })
  removeIfEmpty(target)
  removeIfEmpty(dirname(target))
  return place
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
