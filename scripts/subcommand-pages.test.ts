/**
 * For all sub-commands: help, completions and manual page name the verbs, arguments and options of the command, and no
 * others. What a command has is asked of `@effect/cli`, not of our own reading of it.
 */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import { HashMap } from "effect"
import type { CommandGrammar } from "../src/cli/command-grammar.ts"
import { completions } from "../src/cli/generated/completions.ts"
import { subcommandHelp } from "../src/cli/generated/help.ts"
import { subcommands } from "../src/cli/generated/subcommands.ts"
import { subcommandFiles } from "../src/cli/subcommand-list.ts"

const root = resolve(import.meta.dir, "..")
const manual = readFileSync(resolve(root, "docs/gemini.1"), "utf8")
  .replaceAll("\\-", "-")
  .replace(/\\f[BIR]/g, "")

const loaded = await Promise.all(
  Object.entries(subcommandFiles).map(async ([name, load]) => [name, (await load()).subcommand] as const)
)

/** Every sub-command offers these beside its own. */
const COMMON = ["--debug", "--help"]

const sorted = (names: Iterable<string>): ReadonlyArray<string> => [...new Set(names)].toSorted()

/** What the package says: option names with older ones, arguments in their brackets. */
const describedBy = (command: CommandDescriptor.Command<unknown>) => {
  const help = CommandDescriptor.getHelp(command, { ...CliConfig.defaultConfig, showBuiltIns: false })
  const [own = ""] = Bun.stripANSI(HelpDoc.toAnsiText(help)).split(/^COMMANDS$/m)
  const lines = own.split("\n").map((line) => line.trim())
  return {
    options: sorted(
      lines.filter((line) => /^\(?-/.test(line)).flatMap((line) => line.match(/(?<=^|[( ])--?[A-Za-z][\w-]*/g) ?? [])
    ),
    args: lines.flatMap((line) => /^<[^>]+>/.exec(line) ?? [])
  }
}

const spellingsOf = ({ options }: CommandGrammar): ReadonlyArray<string> =>
  sorted(
    options.flatMap(({ aliases = [], long, short }) => [
      ...[long, ...aliases].map((name) => `--${name}`),
      ...(short === undefined ? [] : [`-${short}`])
    ])
  )

/** Names as pages show them: without older spellings. */
const longNames = (...commands: ReadonlyArray<CommandGrammar>): ReadonlyArray<string> =>
  sorted(commands.flatMap(({ options }) => options.map(({ long }) => `--${long}`)))

const optionsIn = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  sorted([...text.matchAll(pattern)].map(([, name = ""]) => name))

test("the list, the rows of the start and the pages have the same names", () => {
  const names = loaded.map(([name]) => name)
  expect(loaded.map(([, { grammar }]) => grammar.name)).toEqual(names)
  expect(Object.keys(subcommandHelp)).toEqual(names)
  expect(subcommands.filter(({ since }) => since === "0.1").map(({ name }) => name)).toEqual(names)
})

describe.each(loaded)("%s", (name, { descriptor, grammar }) => {
  const commands = [grammar, ...grammar.verbs]

  test("is read as the package reads it", () => {
    const verbs = new Map(HashMap.entries(CommandDescriptor.getSubcommands(descriptor)))
    // A command without verbs counts as its own.
    expect(sorted(commands.slice(grammar.verbs.length === 0 ? 0 : 1).map((one) => one.name))).toEqual(
      sorted(verbs.keys())
    )
    for (const command of commands) {
      const real = describedBy(verbs.get(command.name) ?? descriptor)
      expect([command.name, spellingsOf(command)]).toEqual([command.name, real.options])
      expect([command.name, command.args.map((one) => `<${one.name}>`)]).toEqual([command.name, real.args])
    }
  })

  test("every text is there, and every value has a name", () => {
    for (const { description, options } of commands) {
      expect(description).toMatch(/\.$/)
      for (const option of options) {
        expect([option.long, option.description]).toEqual([option.long, expect.stringMatching(/\.$/)])
        expect([option.long, option.value ?? "NONE"]).toEqual([option.long, expect.stringMatching(/[A-Z]/)])
      }
    }
  })

  test("help names its verbs with their arguments and all options, and no others", () => {
    const page = subcommandHelp[name] ?? ""
    const [, commandSection = ""] = /^Commands\n([\s\S]*?)\n\n/m.exec(page) ?? []
    const [, optionSection = ""] = /^Options\n([\s\S]*?)(?:\n\n|\n$)/m.exec(page) ?? []
    const blocks = commandSection.split(/\n(?= {2}[a-z])/).filter(Boolean)
    const heads = blocks.map((block) => block.trim().split(/ {2,}|\n/)[0] ?? "")
    expect(heads).toEqual(grammar.verbs.map((verb) => [verb.name, ...verb.args.map(shown)].join(" ")))
    const shared = optionsIn(optionSection, /^ {2}(?:-\w, | {4})(--[a-z-]+)/gm)
    for (const [index, verb] of grammar.verbs.entries()) {
      const own = optionsIn(blocks[index] ?? "", /^ {4}(?:-\w, )?(--[a-z-]+)/gm)
      const known = longNames(verb)
      expect([verb.name, own.filter((one) => !known.includes(one))]).toEqual([verb.name, []])
      expect([verb.name, known.filter((one) => ![...own, ...shared].includes(one))]).toEqual([verb.name, []])
    }
    const real = [...longNames(...commands), ...COMMON]
    expect(shared.filter((one) => !real.includes(one))).toEqual([])
    for (const one of grammar.args) expect(page).toContain(`gemini ${name} ${shown(one)}`)
  })

  test("the manual page has the same verbs, arguments and options", () => {
    const [, text = ""] = new RegExp(`^\\.SS gemini ${name}\n([\\s\\S]*?)(?=^\\.S[SH])`, "m").exec(manual) ?? []
    expect(optionsIn(text, /^(?:-\w, )?(--[a-z-]+)/gm)).toEqual(longNames(...commands))
    for (const verb of grammar.verbs) {
      expect(text).toContain(`.TP\n${[verb.name, ...verb.args.map(shown)].join(" ")}\n`)
    }
    for (const one of grammar.args) expect(text).toContain(`gemini ${name} ${shown(one)}`)
  })

  test("the shells complete its verbs and options", () => {
    const options = sorted([...longNames(...commands), ...COMMON])
    const verbs = grammar.verbs.map((verb) => verb.name)
    const bash =
      new RegExp(`^    ${name}(?:\\|[a-z]+)?\\)\n([\\s\\S]*?)\n      ;;\n`, "m").exec(completions.bash ?? "")?.[1] ?? ""
    const [, offered = ""] = /\[\[ \$current == -\* \]\]; then\n +_gemini_offer (.*)/.exec(bash) ?? []
    expect(sorted(offered.split(" "))).toEqual(options)
    expect(bash).toContain(`_gemini_offer ${verbs.join(" ")}`)
    const zsh = new RegExp(`^  ${name}(?:\\|[a-z]+)?\\)\n([\\s\\S]*?);;`, "m").exec(completions.zsh ?? "")?.[1] ?? ""
    expect(optionsIn(zsh, /^ +'(?:\([^)]*\)'\{(?:-\w\+?,)?)?(--[a-z-]+)/gm)).toEqual(options)
    expect(zsh).toMatch(new RegExp(`'2: : _gemini_second "[a-z-]*" ${verbs.join(" ")}'`))
    const fish = (completions.fish ?? "")
      .split("\n")
      .filter((line) => line.includes(`-n '__fish_seen_subcommand_from ${name}`))
    expect(sorted(fish.flatMap((line) => / -l ([a-z-]+)/.exec(line)?.[1] ?? []).map((one) => `--${one}`))).toEqual(
      options
    )
    expect(fish.flatMap((line) => / -f -a ([a-z]\S*)/.exec(line)?.[1] ?? [])).toEqual(verbs)
  })
})

const shown = ({ isOptional, isRepeated, name }: CommandGrammar["args"][number]): string => {
  const text = isRepeated ? `${name}...` : name
  return isOptional ? `[${text}]` : `<${text}>`
}
