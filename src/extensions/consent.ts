/**
 * What a person agrees to with an extension: what its folder brings beside the manifest, by name, and all of it that
 * acts or speaks to the model, in words. Nothing acts.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Predicate } from "effect"
import { visibleLine } from "../kernel/visible-text.ts"
import { readRegularFile } from "../system/regular-file.ts"
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

/** What the folder brings beside its manifest. */
interface Contents {
  readonly contextFiles: ReadonlyArray<string>
  /** `Event: command`. */
  readonly hooks: ReadonlyArray<string>
  readonly skills: ReadonlyArray<SkillFacts>
  readonly commands: ReadonlyArray<string>
  readonly agents: ReadonlyArray<string>
  readonly policies: ReadonlyArray<string>
}

interface SkillFacts {
  readonly name: string
  readonly description: string
  readonly path: string
  /** Files and folders in it. */
  readonly items: number
}

/**
 * What a person agrees to: everything in an extension that acts or speaks to the model, in words. Text of others is shown
 * so that nothing in it can act on the terminal or hide. Pure.
 */
export const consentText = (manifest: Manifest, contents: Contents): string =>
  [
    `Installing extension "${visibleLine(manifest.name)}".`,
    ...section("This extension will run the following MCP servers:", serverLines(manifest)),
    ...section("This extension adds commands:", contents.commands.map(visibleLine)),
    ...section("This extension adds agents:", contents.agents.map(visibleLine)),
    ...section("This extension adds policy rules (they can only deny or ask):", contents.policies.map(visibleLine)),
    ...(contents.contextFiles.length === 0
      ? []
      : [
          `This extension will append info to your context using ${contextFileNames(manifest).map(visibleLine).join(", ")}.`
        ]),
    ...(manifest.excludeTools === undefined || manifest.excludeTools.length === 0
      ? []
      : [`This extension will exclude the following tools: ${manifest.excludeTools.map(visibleLine).join(", ")}.`]),
    ...(contents.hooks.length === 0
      ? []
      : [
          "⚠️  This extension contains hooks, which run programs on your computer by themselves:",
          ...contents.hooks.map((hook) => `  * ${visibleLine(hook)}`)
        ]),
    ...skillLines(contents.skills),
    ...section("It asks for these settings:", settingLines(manifest)),
    "",
    "The extension you are about to install may come from a third party. Nobody has checked it.",
    "Make sure that you trust its source before you go on: it acts with your permissions."
  ].join("\n")

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  * ${line}`)]

const serverLines = ({ mcpServers = {} }: Manifest): ReadonlyArray<string> =>
  Object.entries(mcpServers).map(([name, { args = [], command, httpUrl, tcp, url }]) =>
    command === undefined
      ? `${visibleLine(name)} (remote): ${visibleLine(httpUrl ?? url ?? tcp ?? "no address")}`
      : `${visibleLine(name)} (local): ${visibleLine([command, ...args].join(" "))}`
  )

const skillLines = (skills: ReadonlyArray<SkillFacts>): ReadonlyArray<string> =>
  skills.length === 0
    ? []
    : [
        "This extension brings skills: instructions for the model, which may use their files and scripts:",
        ...skills.map(
          ({ description, items, name, path }) =>
            `  * ${visibleLine(name)}: ${visibleLine(description)}\n    (in ${visibleLine(path)}, ${items} ${items === 1 ? "item" : "items"})`
        )
      ]

const settingLines = ({ settings = [] }: Manifest): ReadonlyArray<string> =>
  settings.map(
    ({ description, envVar, name, sensitive = false }) =>
      `${visibleLine(name)} (${envVar}${sensitive ? ", kept in the key store" : ""})${description === undefined ? "" : `: ${visibleLine(description)}`}`
  )
