/**
 * Writes what is made from the program itself: help pages, completion scripts and the manual page from the option table
 * and the sub-commands, the names by which the start knows sub-commands, the pages on telemetry and on failures. The results are checked
 * in, so that a build needs no extra step to be readable; a test fails when they are out of date.
 */
import { readdirSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import type { SubcommandRow } from "../src/cli/subcommand-row.ts"
import { FAILURE_HELP } from "../src/protocol/failure-help.ts"
import { bashCompletion, fishCompletion, zshCompletion } from "./generate/completions.ts"
import { configurationPage } from "./generate/configuration-page.ts"
import { rootHelp, subcommandHelp } from "./generate/help-page.ts"
import { manPage } from "./generate/man-page.ts"
import { subcommandRows, visibleSubcommands } from "./generate/subcommand-pages.ts"
import { telemetryPage } from "./generate/telemetry-page.ts"
import { troubleshootingPage } from "./generate/troubleshooting-page.ts"

const root = resolve(import.meta.dir, "..")

/** Path below the root of the project, and content, of every generated file. */
export const generatedFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ["src/cli/generated/help.ts", helpModule()],
    ["src/cli/generated/completions.ts", completionsModule()],
    ["src/cli/generated/subcommands.ts", subcommandsModule()],
    ["docs/gemini.1", manPage()],
    ["docs/configuration.md", configurationPage()],
    ["docs/telemetry.md", telemetryPage()],
    ["docs/troubleshooting.md", troubleshootingPage()]
  ])

const HEADER = "Made by scripts/generate.ts from the option table and the sub-commands: change those instead."

const helpModule = (): string => `/** Help pages. ${HEADER} */
export const rootHelp = ${literal(rootHelp())}

export const subcommandHelp: Readonly<Record<string, string>> = {
${visibleSubcommands.map((row) => `  ${row.name}: ${literal(subcommandHelp(row))}`).join(",\n")}
}
`

const completionsModule = (): string => `/** Completion scripts by shell. ${HEADER} */
export const completions: Readonly<Record<string, string>> = {
  bash: ${literal(bashCompletion())},
  zsh: ${literal(zshCompletion())},
  fish: ${literal(fishCompletion())}
}
`

const subcommandsModule = (): string => `/** Names of sub-commands. ${HEADER} */
import type { SubcommandRow } from "../subcommand-row.ts"

export const subcommands: ReadonlyArray<SubcommandRow> = [
${subcommandRows.map(rowText).join(",\n")}
]

/** Pages of the manual: \`gemini help TOPIC\`. */
export const topics: ReadonlyArray<string> = ${listText(manualTopics())}

/** Codes at the end of errors: \`gemini help CODE\`. */
export const failureCodes: ReadonlyArray<string> = ${listText(Object.keys(FAILURE_HELP).toSorted())}
`

/** As the formatter would write it. */
const listText = (names: ReadonlyArray<string>): string =>
  `[\n${names.map((name) => `  ${JSON.stringify(name)}`).join(",\n")}\n]`

/** The index is no topic: \`gemini help topics\` lists what it lists. */
const manualTopics = (): ReadonlyArray<string> =>
  readdirSync(resolve(root, "docs"))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => name.slice(0, -".md".length))
    .toSorted()

/** As the formatter would write it. */
const rowText = (row: SubcommandRow): string => {
  const fields = Object.entries(row).map(([key, value]) => `    ${key}: ${fieldText(value)}`)
  return `  {\n${fields.join(",\n")}\n  }`
}

const fieldText = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(fieldText).join(", ")}]` : (JSON.stringify(value) ?? "undefined")

const literal = (text: string): string => `\`${text.replace(/[\\`]|\$\{/g, (found) => `\\${found}`)}\``

/** A file that is already right keeps its time, so that nothing is built again for it. */
const writeIfChanged = async (path: string, content: string): Promise<void> => {
  const file = resolve(root, path)
  const present = await readFile(file, "utf8").catch(() => undefined)
  if (present === content) return
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

if (import.meta.main) {
  for (const [path, content] of generatedFiles()) await writeIfChanged(path, content)
}
