/** Reads the skills of all folders, and settles which of two with the same name counts. One bad file costs itself only. */

import { closeSync, constants, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either, Option } from "effect"
import { strayReason } from "../files/brought-file.ts"
import { errnoOf } from "../files/file-error.ts"
import { plainHead, splitFrontMatter } from "./front-matter.ts"
import { headOf, readSkill, type SkillHead } from "./read-skill.ts"
import type { Skill } from "./skill.ts"
import type { ListedFolder } from "./skill-folders.ts"

export interface Discovered {
  /** By name, in alphabetical order. */
  readonly skills: ReadonlyArray<Skill>
  /** What cannot be used, and what was replaced, in words for people. */
  readonly warnings: ReadonlyArray<string>
}

/** No person writes that many; a folder of something else must not hold up a start. */
const MAX_ENTRIES = 1_000
const SKILL_FILE = "SKILL.md"

export const discoverSkills = Effect.fn("Skills.discover")(function* (
  builtin: ReadonlyArray<Skill>,
  folders: ReadonlyArray<ListedFolder>
): Effect.fn.Return<Discovered> {
  const found = new Map(builtin.map((skill) => [skill.name, skill]))
  const warnings: Array<string> = []
  const glance = makeGlance()
  for (const folder of folders) {
    if (folder.names.length > MAX_ENTRIES) {
      warnings.push(`${folder.path} holds ${folder.names.length} entries: only ${MAX_ENTRIES} are looked at for skills`)
    }
    for (const directory of directoriesOf(folder)) {
      const file = join(directory, SKILL_FILE)
      const seen = glance(file)
      if (seen === "missing") continue
      const stray = folder.border === undefined ? undefined : strayReason(file, [folder.border])
      if (stray !== undefined) {
        warnings.push(`${file} is left out: it ${stray}`)
        continue
      }
      const read = seen === "unclear" ? yield* Effect.either(readSkill(file)) : Either.right(Option.some(seen))
      if (Either.isLeft(read)) warnings.push(`${read.left.message}; it is left out`)
      else if (Option.isSome(read.right)) {
        const skill = skillOf(folder, directory, read.right.value)
        for (const { detail, line } of read.right.value.faults ?? []) warnings.push(`${file}:${line}: ${detail}`)
        const before = found.get(skill.name)
        if (before !== undefined && before.source._tag !== "BuiltIn") {
          warnings.push(`skill "${skill.name}": ${skill.location} is used in place of ${before.location}`)
        }
        found.set(skill.name, skill)
      }
    }
  }
  return {
    skills: [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    warnings
  }
})

/** The folder itself may be a skill, and so may each folder in it; not those below. */
const directoriesOf = ({ names, path }: ListedFolder): ReadonlyArray<string> => [
  ...(names.includes(SKILL_FILE) ? [path] : []),
  ...names
    .filter((name) => !name.startsWith(".") && name !== "node_modules" && name !== SKILL_FILE)
    .toSorted()
    .slice(0, MAX_ENTRIES)
    .map((name) => join(path, name))
]

const skillOf = (
  { border, source }: ListedFolder,
  directory: string,
  { description, isOff, name }: SkillHead
): Skill => ({
  name: source._tag === "Extension" ? `${source.extension}:${name}` : name,
  description,
  location: join(directory, SKILL_FILE),
  directory,
  source,
  ...(isOff === undefined ? {} : { isOff }),
  ...(border === undefined ? {} : { border })
})

type Glance = "missing" | "unclear" | SkillHead

/**
 * A quick look at the beginning of a `SKILL.md`, for starts with hundreds of them: one small read through the same few
 * kilobytes, and no parser. Whatever is not as plain as most of them is left to a real reading, faults included.
 */
const makeGlance = (): ((file: string) => Glance) => {
  const buffer = Buffer.alloc(4096)
  return (file) => {
    const text = beginningOf(file, buffer)
    if (text === undefined) return "missing"
    const end = text.indexOf("\n---", 3)
    const head = Option.flatMap(Either.getRight(splitFrontMatter(text.slice(0, end + 5))), ({ head: lines }) =>
      Option.flatMap(plainHead(lines), (values) => Either.getRight(headOf(values, lines)))
    )
    return Option.getOrElse(head, (): Glance => "unclear")
  }
}

/** Plain heads are ASCII, so that any byte stands for itself. Empty where it cannot be read: then nothing is clear. */
const beginningOf = (file: string, buffer: Buffer): string | undefined => {
  let descriptor: number | undefined
  try {
    // Not blocking: it may be a pipe that nobody writes to.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    return buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, buffer.length, 0))
  } catch (cause) {
    const code = errnoOf(cause)
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : ""
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
