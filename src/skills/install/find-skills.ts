/** The skills in a folder that somebody wants to install or link: it is one itself, or holds some. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { readSkill } from "../read-skill.ts"
import { SkillInstallError } from "./install-error.ts"

export interface FoundSkill {
  readonly name: string
  readonly description: string
  readonly directory: string
  /** Entries in its folder. */
  readonly items: number
}

/** A broken one stops it all: what was meant to be installed is not what would be. */
export const findSkills = Effect.fnUntraced(function* (folder: string) {
  const own = yield* skillAt(folder)
  const found = Option.isSome(own) ? [own.value] : []
  for (const name of namesIn(folder)) {
    if (name === ".git" || name === "node_modules") continue
    const skill = yield* skillAt(join(folder, name))
    if (Option.isSome(skill)) found.push(skill.value)
  }
  if (found.length > 0) return found
  return yield* new SkillInstallError({
    kind: "source",
    detail: `${folder} holds no skill`,
    advice: "A skill is a folder with a SKILL.md; --path names a folder inside the source."
  })
})

const skillAt = (directory: string): Effect.Effect<Option.Option<FoundSkill>, SkillInstallError> =>
  readSkill(join(directory, "SKILL.md")).pipe(
    Effect.map(
      Option.map(({ description, name }) => ({ name, description, directory, items: namesIn(directory).length }))
    ),
    Effect.mapError(({ message }) => new SkillInstallError({ kind: "source", detail: message }))
  )

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}
