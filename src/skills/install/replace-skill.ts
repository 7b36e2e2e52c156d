/**
 * A skill takes the place of the one before it, from the folder in which it was found. The new copy is made aside,
 * then the two change places: whatever ends the program on the way leaves the old one, the new one, or the old one
 * aside, from where the next run brings it back.
 */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { copyToNewFile } from "../../system/file-mode.ts"
import { isRunning, startOf } from "../../system/process-identity.ts"
import { lstatOrNone } from "../../system/regular-file.ts"
import { readSkill } from "../read-skill.ts"
import { SkillInstallError } from "./install-error.ts"

const STAGED = ".installing-"

/** Throws a `SkillInstallError`, or what the system reports: then the old one is where it was. */
export const putInPlace = ({ directory, name }: FoundSkill, target: string): string => {
  mkdirSync(target, { recursive: true })
  recoverAll(target)
  const staged = mkdtempSync(join(target, `${STAGED}${process.pid}-${startOf(process.pid) ?? ""}-`))
  const [place, fresh, old] = [join(target, name), join(staged, "new"), join(staged, "old")]
  try {
    copySkill(directory, fresh)
    // The name of the old one is kept: it is all that is known about it if this program does not come back.
    mkdirSync(old)
    if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) renameSync(place, join(old, name))
    renameSync(fresh, place)
    return place
  } finally {
    recover(staged, target)
    removeIfEmpty(target)
  }
}

/** What programs left that ended in the middle; those that are at work are left alone. */
const recoverAll = (target: string): void => {
  for (const name of readdirSync(target)) {
    if (!name.startsWith(STAGED)) continue
    const [, pid, started] = /^(\d+)-(\d*)-/.exec(name.slice(STAGED.length)) ?? []
    const isAtWork = pid !== undefined && isRunning({ pid: Number(pid), started: started || undefined })
    if (!isAtWork) recover(join(target, name), target)
  }
}

const recover = (staged: string, target: string): void => {
  const old = join(staged, "old")
  for (const name of existsSync(old) ? readdirSync(old) : []) {
    const isTaken = lstatOrNone(join(target, name)) !== undefined
    if (!isTaken) renameSync(join(old, name), join(target, name))
  }
  rmSync(staged, { recursive: true, force: true })
}

/** So that a home is as it was once its last skill is gone. */
export const removeIfEmpty = (folder: string): void => {
  try {
    rmdirSync(folder)
  } catch {
    // It holds something, or is not there.
  }
}

const LIMITS = { maxFiles: 20_000, maxBytes: 256 * 1024 * 1024 }

/** Plain files and folders, without the history of its repository; links are not taken along. Throws as `putInPlace` does. */
const copySkill = (from: string, to: string): void => {
  let files = 0
  let bytes = 0
  const visit = (source: string, target: string): void => {
    const stat = lstatSync(source)
    if (stat.isDirectory()) {
      mkdirSync(target)
      for (const name of readdirSync(source)) if (name !== ".git") visit(join(source, name), join(target, name))
      return
    }
    if (!stat.isFile()) {
      const kind = stat.isSymbolicLink() ? "a link" : "neither a file nor a folder"
      throw new SkillInstallError({ kind: "unsafe", detail: `${source} is ${kind}: it is not installed` })
    }
    files += 1
    bytes += stat.size
    if (files > LIMITS.maxFiles || bytes > LIMITS.maxBytes) {
      throw new SkillInstallError({ kind: "unsafe", detail: `${from} is too large to be a skill` })
    }
    copyToNewFile(source, target)
  }
  visit(from, to)
}

/** The skills in a folder that somebody wants to install or link: it is one itself, or holds some. */
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
