/** What a folder brings beside its manifest, by name, for the eyes of the person who is asked about it. Nothing acts. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Predicate } from "effect"
import { readRegularFile } from "../system/regular-file.ts"
import type { Contents, SkillFacts } from "./consent.ts"
import { contextFileNames, type Manifest } from "./manifest.ts"
import { contextFilesIn, readHooks } from "./parts.ts"

/** A folder with more entries is only looked at up to here. */
const MAX_ENTRIES = 1000
const MAX_SKILL_BYTES = 256 * 1024

export const contentsOf = (path: string, manifest: Manifest): Contents => ({
  contextFiles: contextFilesIn(path, contextFileNames(manifest)).files,
  hooks: hookLines(readHooks(path).hooks),
  skills: skillsIn(join(path, "skills")),
  commands: filesBelow(join(path, "commands"), ".toml").map(commandName),
  agents: filesBelow(join(path, "agents"), ".md").map((name) => name.replace(/\.md$/, "")),
  policies: filesBelow(join(path, "policies"), ".toml")
})

const commandName = (file: string): string => `/${file.replace(/\.toml$/, "").replaceAll(/[\\/]/g, ":")}`

/** Hooks are named by the commands that they run: that is what one agrees to. */
const hookLines = (hooks: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(hooks).flatMap(([event, value]) => commandsIn(value).map((command) => `${event}: ${command}`))

const commandsIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(commandsIn)
  if (!Predicate.isRecord(value)) return []
  return typeof value.command === "string" ? [value.command] : commandsIn(value.hooks)
}

const skillsIn = (folder: string): ReadonlyArray<SkillFacts> =>
  entriesOf(folder, false).flatMap((name) => {
    const path = join(folder, name)
    const content = readRegularFile(join(path, "SKILL.md"), MAX_SKILL_BYTES)
    if (content.kind !== "text") return []
    return [
      {
        name: frontMatter(content.text, "name") ?? name,
        description: frontMatter(content.text, "description") ?? "",
        path,
        items: entriesOf(path, true).length
      }
    ]
  })

/** Good enough to show; what counts is read by the room of skills. */
const frontMatter = (text: string, field: string): string | undefined =>
  new RegExp(`^${field}:[ \\t]*(.+)$`, "m").exec(/^---\r?\n[\s\S]*?\r?\n---/.exec(text)?.[0] ?? "")?.[1]?.trim()

const filesBelow = (folder: string, ending: string): ReadonlyArray<string> =>
  entriesOf(folder, true).filter((name) => name.endsWith(ending))

const entriesOf = (folder: string, recursive: boolean): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { recursive, encoding: "utf8" }).slice(0, MAX_ENTRIES).sort()
  } catch {
    return []
  }
}
