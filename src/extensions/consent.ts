/**
 * What a person agrees to: everything in an extension that acts or speaks to the model, in words. Text of others is shown
 * so that nothing in it can act on the terminal or hide. Pure.
 */
import { visibleLine } from "../kernel/visible-text.ts"
import { contextFileNames, type Manifest } from "./manifest.ts"

/** What the folder brings beside its manifest. */
export interface Contents {
  readonly contextFiles: ReadonlyArray<string>
  /** `Event: command`. */
  readonly hooks: ReadonlyArray<string>
  readonly skills: ReadonlyArray<SkillFacts>
  readonly commands: ReadonlyArray<string>
  readonly agents: ReadonlyArray<string>
  readonly policies: ReadonlyArray<string>
}

export interface SkillFacts {
  readonly name: string
  readonly description: string
  readonly path: string
  /** Files and folders in it. */
  readonly items: number
}

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
