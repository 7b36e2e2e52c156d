/**
 * How skills are shown: to people as a block of lines each, to scripts as data, and to the model as a tree of the
 * files that one of them brings, at most 200.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { SkillSource } from "./skill.ts"
import type { KnownSkill } from "./skills.ts"

const MAX_ITEMS = 200
const CLOSED = new Set([".git", "node_modules"])

export const skillTree = (directory: string): string => {
  const lines: Array<string> = []
  let left = MAX_ITEMS
  const visit = (folder: string, indent: string): void => {
    for (const { isFolder, name } of entriesOf(folder)) {
      if (left === 0) {
        lines.push(`${indent}...`)
        return
      }
      left -= 1
      lines.push(`${indent}${name}${isFolder ? "/" : ""}`)
      if (isFolder && !CLOSED.has(name)) visit(join(folder, name), `${indent}  `)
    }
  }
  lines.push(`${directory}/`)
  visit(directory, "  ")
  return lines.join("\n")
}

/** Links are named, not followed. */
const entriesOf = (folder: string): ReadonlyArray<{ readonly name: string; readonly isFolder: boolean }> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    return []
  }
}

/** How skills are shown: a block of lines each, and the same as data. */
export const skillText = (skill: KnownSkill, options: { readonly hasDescription: boolean }): string =>
  [
    `${skill.name} [${skill.isEnabled ? "Enabled" : skill.isOff === true ? "Disabled by its own file" : "Disabled"}]${skill.source._tag === "BuiltIn" ? " [Built-in]" : ""}`,
    ...(options.hasDescription ? [`  Description: ${skill.description}`, `  Location:    ${skill.location}`] : [])
  ].join("\n")

export const skillDocument = ({ description, isEnabled, location, name, source }: KnownSkill) => ({
  name,
  enabled: isEnabled,
  source: SOURCE_NAMES[source._tag],
  extension: source._tag === "Extension" ? source.extension : null,
  description,
  location
})

const SOURCE_NAMES: Readonly<Record<SkillSource["_tag"], string>> = {
  BuiltIn: "built-in",
  Extension: "extension",
  User: "user",
  Project: "project"
}

/** Our own last, each group by name. */
export const inListOrder = (skills: ReadonlyArray<KnownSkill>): ReadonlyArray<KnownSkill> => {
  const [own, builtin] = [skills.filter((one) => !isBuiltin(one)), skills.filter(isBuiltin)]
  return [...own, ...builtin]
}

const isBuiltin = ({ source }: KnownSkill): boolean => source._tag === "BuiltIn"
