/**
 * Installing skills from a folder, an archive or a repository. Everything is fetched and checked elsewhere first; then each
 * skill takes the place of the one before it.
 */
import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync, unlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve, sep } from "node:path"
import { Effect, Either, Option } from "effect"
import { extractArchive } from "../../files/archive/extract-archive.ts"
import { errnoOf } from "../../files/file-error.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { readSkill } from "../read-skill.ts"
import { skillId } from "../skill.ts"
import { SkillInstallError } from "./install-error.ts"
import { type FoundSkill, findSkills, putInPlace, removeIfEmpty } from "./replace-skill.ts"

export interface SkillInstallRequest {
  /** As typed. */
  readonly source: string
  /** Folder inside the source; absent: all of it. */
  readonly path: string | undefined
  readonly place: { readonly cwd: string; readonly home: string | undefined }
  /** Fetches the newest commit of a repository into a folder that does not exist. */
  readonly fetchGit: (source: string, target: string) => Effect.Effect<void, SkillInstallError>
  /** `~/.gemini/skills` or that of the project. */
  readonly target: string
  /** Shows what would be installed; `false`: nothing is. */
  readonly agree: (skills: ReadonlyArray<FoundSkill>) => Effect.Effect<boolean>
}

/** The folders that were made; empty when the person did not agree. */
export const installSkills = (request: SkillInstallRequest): Effect.Effect<ReadonlyArray<string>, SkillInstallError> =>
  Effect.acquireUseRelease(
    Effect.try({ try: () => mkdtempSync(join(tmpdir(), "gemini-skill-")), catch: unwritable }),
    (staging) =>
      Effect.gen(function* () {
        const fetched = yield* fetchSource(originOf(request.source, request.place), join(staging, "source"), request)
        const folder = yield* inside(fetched, request.path)
        const skills = yield* findSkills(folder)
        if (!(yield* request.agree(skills))) return []
        return yield* Effect.try({
          try: () => skills.map((skill) => putInPlace(skill, request.target)),
          catch: unwritable
        })
      }),
    (staging) => Effect.sync(() => rmSync(staging, { recursive: true, force: true }))
  )

const fetchSource = (origin: SkillOrigin, target: string, { fetchGit }: SkillInstallRequest) => {
  switch (origin._tag) {
    case "Git":
      return Effect.as(fetchGit(origin.source, target), target)
    case "Archive":
      return extractArchive(origin.file, target).pipe(
        Effect.as(target),
        Effect.mapError(
          ({ kind, message }) =>
            new SkillInstallError({ kind: kind === "unsafe" ? "unsafe" : "source", detail: message })
        )
      )
    case "Folder":
      return statOrNone(origin.folder)?.isDirectory() === true
        ? Effect.succeed(origin.folder)
        : new SkillInstallError({
            kind: "source",
            detail: `${origin.folder} is not a folder`,
            advice: "Give a folder, a .skill file or the address of a git repository."
          })
  }
}

/** `--path` cannot lead out of the source, neither by its words nor by a link. */
const inside = (source: string, path: string | undefined): Effect.Effect<string, SkillInstallError> =>
  Effect.try({
    try: () => {
      const root = realpathSync(source)
      const real = realpathSync(join(root, path ?? "."))
      if (real === root || real.startsWith(`${root}${sep}`)) return real
      throw new SkillInstallError({ kind: "unsafe", detail: `--path ${path} leads out of the source`, advice: INSIDE })
    },
    catch: (cause) =>
      cause instanceof SkillInstallError
        ? cause
        : new SkillInstallError({ kind: "source", detail: `the source has no folder ${path ?? ""}`, advice: INSIDE })
  })

const INSIDE = "--path names a folder inside the source."

export const unwritable = (cause: unknown): SkillInstallError =>
  cause instanceof SkillInstallError
    ? cause
    : new SkillInstallError({ kind: "write", detail: `the skill could not be written (${errnoOf(cause)})` })

type SkillOrigin =
  | { readonly _tag: "Git"; readonly source: string }
  | { readonly _tag: "Archive"; readonly file: string }
  | { readonly _tag: "Folder"; readonly folder: string }

const REMOTE = /^(?:https?|ssh|git|file|sso):\/\/|^git@|^(?:github|gitlab):/i
const ARCHIVE = /\.(?:skill|zip|tar|tgz|tar\.gz)$/i

/** What a source of skills is, by how it is written. */
export const originOf = (
  source: string,
  place: { readonly cwd: string; readonly home: string | undefined }
): SkillOrigin => {
  if (REMOTE.test(source)) return { _tag: "Git", source }
  const path = resolve(place.cwd, place.home === undefined ? source : source.replace(/^~(?=\/|$)/, place.home))
  return ARCHIVE.test(path) ? { _tag: "Archive", file: path } : { _tag: "Folder", folder: path }
}

/**
 * Removes a skill from the folder of a scope. Of one that is linked, only the link goes.
 * By the name in its file, or by that of its folder where the file is broken. Gives what was removed.
 */
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
