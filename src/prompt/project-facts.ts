/**
 * Facts of the project that the model would otherwise ask for first (`context.projectFacts`): its git state, its manifests,
 * the extensions that are in force and the tools that are not. Bounded in time and in tokens.
 */
import { Effect } from "effect"
import { insideFrame } from "../kernel/prompt-frames.ts"
import type { ExtensionParts } from "../protocol/extension-parts.ts"
import { manifestFacts } from "./manifest-facts.ts"
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
