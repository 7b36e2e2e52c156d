/** Which places of the command line hold names that only the program itself can tell (`completion-words.ts`). */
import type { ArgumentRow } from "../../src/cli/command-grammar.ts"
import type { WordKind } from "../../src/cli/completion-words.ts"
import type { OptionRow } from "../../src/cli/option-row.ts"
import type { SubcommandPage } from "./subcommand-pages.ts"

const OPTIONS: Readonly<Record<string, WordKind>> = {
  model: "models",
  resume: "sessions",
  session: "sessions",
  "delete-session": "sessions",
  "allowed-mcp-server-names": "servers",
  extensions: "extensions",
  tool: "tools",
  tools: "tools",
  "allowed-tools": "tools",
  "exclude-tools": "tools"
}

/** By sub-command and the name that help gives to the argument. */
const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, WordKind>>>> = {
  config: { key: "settings", value: "values" },
  mcp: { name: "servers" },
  extensions: { name: "extensions", names: "extensions" },
  skills: { name: "skills" },
  hooks: { event: "hook-events" },
  tools: { name: "tools" },
  sessions: { id: "sessions" },
  stats: { session: "sessions" },
  undo: { "run|session": "sessions" }
}

/** They name something that is not there yet. */
const NAMING = new Set(["add", "new"])

export const takesValue = (row: OptionRow): boolean => row.type !== "boolean"

export const wordsOfOption = (row: OptionRow): WordKind | undefined => (takesValue(row) ? OPTIONS[row.long] : undefined)

export interface ArgumentPlace {
  /** `undefined`: what follows the name of the sub-command. */
  readonly verb: string | undefined
  /** Arguments before it. */
  readonly index: number
  readonly isRepeated: boolean
  readonly words: WordKind
}

export const placesOf = (page: SubcommandPage): ReadonlyArray<ArgumentPlace> => [
  ...placesIn(page, undefined, page.args),
  ...page.verbs.filter(({ name }) => !NAMING.has(name)).flatMap(({ args, name }) => placesIn(page, name, args))
]

const placesIn = (
  { name }: SubcommandPage,
  verb: string | undefined,
  args: ReadonlyArray<ArgumentRow>
): ReadonlyArray<ArgumentPlace> =>
  args.flatMap((argument, index) => {
    const words = ARGUMENTS[name]?.[argument.name]
    return words === undefined ? [] : [{ verb, index, isRepeated: argument.isRepeated, words }]
  })
