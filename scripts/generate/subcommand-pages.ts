/** The sub-commands as their pages show them, read from the commands themselves. */
import type { ArgumentRow, CommandGrammar } from "../../src/cli/command-grammar.ts"
import type { OptionRow } from "../../src/cli/option-row.ts"
import type { Subcommand } from "../../src/cli/subcommand.ts"
import { missingSubcommands, subcommandFiles } from "../../src/cli/subcommand-list.ts"
import type { SubcommandRow } from "../../src/cli/subcommand-row.ts"

export interface VerbPage {
  readonly name: string
  /** Arguments as help shows them: `<name> [args...]`. */
  readonly usage: string
  readonly args: ReadonlyArray<ArgumentRow>
  readonly description: string
  /** All that it knows. */
  readonly options: ReadonlyArray<OptionRow>
}

export interface SubcommandPage {
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  readonly description: string
  /** What may follow the name, one line for each way to use it. */
  readonly usages: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<VerbPage>
  /** Where it stands without a verb. */
  readonly args: ReadonlyArray<ArgumentRow>
  /** Those of the sub-command without a verb, and those that every verb has. */
  readonly options: ReadonlyArray<OptionRow>
  readonly examples: ReadonlyArray<string>
}

const loaded: ReadonlyArray<Subcommand> = await Promise.all(
  Object.values(subcommandFiles).map(async (load) => (await load()).subcommand)
)

export const visibleSubcommands: ReadonlyArray<SubcommandPage> = loaded.map(({ aliases, examples, grammar }) => ({
  name: grammar.name,
  aliases,
  description: grammar.description,
  usages: [
    ...(standsAlone(grammar) ? [usageOf(grammar.args)] : []),
    ...(grammar.verbs.length > 0 ? ["<command>"] : [])
  ],
  verbs: grammar.verbs.map(({ args, description, name, options }) => ({
    name,
    description,
    usage: usageOf(args),
    args,
    options
  })),
  args: grammar.args,
  options: sharedOptions(grammar),
  examples
}))

/** What every start needs to tell a sub-command from a prompt. */
export const subcommandRows: ReadonlyArray<SubcommandRow> = [
  ...loaded.map(({ aliases, grammar, idVerb, ids, matching }) => ({
    name: grammar.name,
    since: "0.1" as const,
    matching,
    verbs: grammar.verbs.map(({ name }) => name),
    aliases,
    ids,
    idVerb,
    standsAlone: standsAlone(grammar)
  })),
  ...missingSubcommands
]

/** Options of a verb that its page does not name elsewhere. */
export const ownOptions = (page: SubcommandPage, verb: VerbPage): ReadonlyArray<OptionRow> =>
  verb.options.filter((option) => !isAmong(page.options, option))

function standsAlone({ args, options, verbs }: CommandGrammar): boolean {
  return verbs.length === 0 || args.length > 0 || options.length > 0
}

function sharedOptions({ options, verbs: [first, ...others] }: CommandGrammar): ReadonlyArray<OptionRow> {
  if (first === undefined || others.length === 0) return options
  const shared = first.options.filter((option) => others.every((verb) => isAmong(verb.options, option)))
  return [...options, ...shared.filter((option) => !isAmong(options, option))]
}

function isAmong(rows: ReadonlyArray<OptionRow>, wanted: OptionRow): boolean {
  return rows.some((row) => Bun.deepEquals(row, wanted))
}

function usageOf(args: ReadonlyArray<ArgumentRow>): string {
  return args
    .map(({ isOptional, isRepeated, name }) => {
      const shown = isRepeated ? `${name}...` : name
      return isOptional ? `[${shown}]` : `<${shown}>`
    })
    .join(" ")
}
