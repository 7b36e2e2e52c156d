/** How skills are shown: a block of lines each, and the same as data. */
import type { SkillSource } from "./skill.ts"
import type { KnownSkill } from "./skills.ts"

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
