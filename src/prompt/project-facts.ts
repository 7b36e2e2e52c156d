/**
 * Facts of the project that the model would otherwise ask for first (`context.projectFacts`): its git state, what its
 * manifests say, the extensions that are in force and the tools that are not. Bounded in time and in tokens.
 */

import { join } from "node:path"
import { Effect, Predicate } from "effect"
import { insideFrame } from "../kernel/prompt-frames.ts"
import type { ExtensionParts } from "../protocol/run-facts.ts"
import { readTextHead } from "./text-head.ts"
import { textTokens } from "./text-tokens.ts"

export interface ProjectFactsOptions {
  readonly cwd: string
  readonly extensions: ReadonlyArray<Pick<ExtensionParts, "name" | "version" | "mcpServers" | "contextFiles">>
  /** Names of tools that the settings or an extension turned off. */
  readonly toolsOff: ReadonlyArray<string>
  readonly git: Effect.Effect<ReadonlyArray<string>>
}

/** Of all facts together; lines behind it are left out. */
export const MAX_FACT_TOKENS = 800

export const projectFacts = (options: ProjectFactsOptions): Effect.Effect<string> =>
  Effect.map(options.git, (git) =>
    insideFrame(
      withinBudget([...git, ...manifestFacts(options.cwd), ...extensionLines(options), ...toolLine(options)]).join("\n")
    )
  )

const extensionLines = ({ extensions }: ProjectFactsOptions): ReadonlyArray<string> =>
  extensions.length === 0
    ? []
    : [
        "Extensions:",
        ...extensions.map(({ contextFiles, mcpServers, name, version }) => {
          const counts = [
            counted(Object.keys(mcpServers).length, "MCP server"),
            counted(contextFiles.length, "context file")
          ].filter((text) => text !== "")
          return `  - ${name} ${version}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}`
        })
      ]

const counted = (count: number, what: string): string =>
  count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`

const toolLine = ({ toolsOff }: ProjectFactsOptions): ReadonlyArray<string> =>
  toolsOff.length === 0 ? [] : [`Tools that are turned off: ${toolsOff.join(", ")}`]

const withinBudget = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept: Array<string> = []
  let left = MAX_FACT_TOKENS
  for (const line of lines) {
    left -= textTokens(line) + 1
    if (left < 0) return [...kept, "(More facts are left out here.)"]
    kept.push(line)
  }
  return kept
}

/** Larger manifests are made by programs; nothing is read of them. */
const MAX_BYTES = 256 * 1024

const MAX_NAMES = 20

const MAX_TEXT = 80

type Table = Readonly<Record<string, unknown>>

/**
 * What the manifests of a project say about it, in a few lines: names, versions, scripts, and what it is built on.
 */
export const manifestFacts = (folder: string): ReadonlyArray<string> => [
  ...manifest(folder, "package.json", JSON.parse, (all) => [
    titleOf(all),
    named("scripts", Object.keys(tableIn(all, "scripts"))),
    named("dependencies", Object.keys(tableIn(all, "dependencies"))),
    named("development", Object.keys(tableIn(all, "devDependencies")))
  ]),
  ...manifest(folder, "pyproject.toml", Bun.TOML.parse, (all) => {
    const project = tableIn(all, "project")
    const poetry = tableIn(tableIn(all, "tool"), "poetry")
    const required = Array.isArray(project.dependencies) ? project.dependencies.map(requirementName) : []
    return [
      titleOf(Object.keys(project).length > 0 ? project : poetry),
      named("scripts", Object.keys({ ...tableIn(project, "scripts"), ...tableIn(poetry, "scripts") })),
      named("dependencies", [...required, ...Object.keys(tableIn(poetry, "dependencies"))])
    ]
  }),
  ...manifest(folder, "Cargo.toml", Bun.TOML.parse, (all) => [
    titleOf(tableIn(all, "package")),
    named("dependencies", Object.keys(tableIn(all, "dependencies")))
  ])
]

const manifest = (
  folder: string,
  name: string,
  parse: (text: string) => unknown,
  partsOf: (all: Table) => ReadonlyArray<string>
): ReadonlyArray<string> => {
  const content = readTextHead(join(folder, name), MAX_BYTES)
  if (content.kind !== "text" || content.isCut) return []
  try {
    const all = parse(content.text)
    const parts = Predicate.isReadonlyRecord(all) ? partsOf(all).filter((part) => part !== "") : []
    return parts.length === 0 ? [] : [`${name}: ${parts.join("; ")}`]
  } catch {
    // Somebody is in the middle of writing it.
    return []
  }
}

const titleOf = ({ name, version }: Table): string =>
  [name, version].flatMap((part) => (typeof part === "string" && part !== "" ? [short(part)] : [])).join(" ")

const named = (kind: string, names: ReadonlyArray<string>): string => {
  if (names.length === 0) return ""
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ""
  return `${kind} ${names.slice(0, MAX_NAMES).map(short).join(", ")}${more}`
}

/** `requests>=2 ; python_version < "3"` is `requests`. */
const requirementName = (text: unknown): string => /^[\w.-]+/.exec(String(text))?.[0] ?? String(text)

const short = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}...` : line
}

const tableIn = (table: Table, key: string): Table => {
  const value = Object.hasOwn(table, key) ? table[key] : undefined
  return Predicate.isReadonlyRecord(value) ? value : {}
}
