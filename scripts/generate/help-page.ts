/** Help pages: grouped, aligned, 80 columns, no colours. */
import type { OptionRow } from "../../src/cli/option-row.ts"
import type { SubcommandRow } from "../../src/cli/subcommand-row.ts"
import {
  commonOptions,
  exitCodes,
  hasChat,
  INTRODUCTION,
  rootExamples,
  visibleOptions,
  visibleSubcommands
} from "./visible.ts"

const WIDTH = 80
const INDENT = 2
/** Where descriptions begin. */
const COLUMN = 30

export const rootHelp = (): string => {
  const groups = Map.groupBy(visibleOptions, (row) => row.group)
  const commands = visibleSubcommands.map((row): Line => [row.name, row.description])
  const codes = exitCodes.map(([code, meaning]): Line => [String(code), meaning])
  const examples = rootExamples.flatMap(({ line, does }) => [`  # ${does}`, `  ${line}`])
  return page(
    [INTRODUCTION],
    section("Usage", table(usageLines(), 34)),
    ...[...groups].map(([group, rows]) => section(group, table(rows.map(optionLine), COLUMN))),
    section("Commands", table(commands, COLUMN)),
    section("Exit codes", table(codes, 8)),
    section("Examples", examples)
  )
}

export const subcommandHelp = (row: SubcommandRow): string => {
  const verbs = row.verbs.flatMap((verb) => [
    [[verb.name, verb.usage].filter((part) => part !== undefined).join(" "), verb.description] as const,
    ...(verb.options ?? []).map(indentedOption)
  ])
  const common = [...(row.options ?? []), ...commonOptions]
  return page(
    [`gemini ${row.name}: ${row.description}`],
    section("Usage", [`  gemini ${[row.name, ...usageOf(row)].join(" ")} [options]`]),
    verbs.length === 0 ? [] : section("Commands", table(verbs, COLUMN)),
    section("Options", table(common.map(optionLine), COLUMN)),
    row.examples === undefined
      ? []
      : section(
          "Examples",
          row.examples.map((line) => `  ${line}`)
        )
  )
}

const usageOf = ({ usage, verbs }: SubcommandRow): ReadonlyArray<string> =>
  usage !== undefined ? [usage] : verbs.length === 0 ? [] : ["<command>"]

type Line = readonly [name: string, description: string]

const usageLines = (): ReadonlyArray<Line> => [
  ...(hasChat ? ([["gemini [options] [words...]", "chat; the words are the first prompt"]] as const) : []),
  ["gemini -p TEXT [options]", "answer one prompt and exit"],
  ["command | gemini [-p TEXT]", "the same; piped input comes first"],
  ["gemini <command> ...", "see Commands"]
]

/** `-o, --output-format FORMAT`, with long names aligned whether or not there is a short one. */
const optionLine = (row: OptionRow): Line => {
  const short = row.short === undefined ? "    " : `-${row.short}, `
  return [`${short}--${row.long}${placeholder(row)}`, describe(row)]
}

const indentedOption = (row: OptionRow): Line => {
  const short = row.short === undefined ? "" : `-${row.short}, `
  return [`  ${short}--${row.long}${placeholder(row)}`, describe(row)]
}

const placeholder = (row: OptionRow): string => {
  if (row.value === undefined) return ""
  return row.type === "boolean"
    ? `[=${row.value}]`
    : row.type === "optional-string"
      ? ` [${row.value}]`
      : ` ${row.value}`
}

const describe = (row: OptionRow): string =>
  row.choices === undefined ? row.description : `${row.description} One of: ${row.choices.join(", ")}.`

/** Two columns; a name that is too long for its column pushes the description to the next line. */
const table = (lines: ReadonlyArray<Line>, column: number): ReadonlyArray<string> =>
  lines.flatMap(([name, description]) => {
    const [first = "", ...rest] = wrap(description, WIDTH - column)
    const head = " ".repeat(INDENT) + name
    const tail = rest.map((line) => " ".repeat(column) + line)
    return head.length < column - 1
      ? [head.padEnd(column) + first, ...tail]
      : [head, " ".repeat(column) + first, ...tail]
  })

const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => [title, ...lines]

const page = (...sections: ReadonlyArray<ReadonlyArray<string>>): string =>
  `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`
