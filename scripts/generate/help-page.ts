/** Help pages: grouped, aligned, 80 columns, no colours. */
import type { OptionRow } from "../../src/cli/option-row.ts"
import { ownOptions, type SubcommandPage, visibleSubcommands } from "./subcommand-pages.ts"
import { commonOptions, describe, exitCodes, hasChat, INTRODUCTION, rootExamples, visibleOptions } from "./visible.ts"

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

export const subcommandHelp = (row: SubcommandPage): string => {
  const verbs = row.verbs.flatMap((verb) => [
    [`${verb.name} ${verb.usage}`.trimEnd(), verb.description] as const,
    ...ownOptions(row, verb).map(indentedOption)
  ])
  const common = [...row.options, ...commonOptions]
  return page(
    [`gemini ${row.name}: ${row.description}`],
    section(
      "Usage",
      row.usages.map((usage) => `  ${["gemini", row.name, usage, "[options]"].filter(Boolean).join(" ")}`)
    ),
    verbs.length === 0 ? [] : section("Commands", table(verbs, COLUMN)),
    section("Options", table(common.map(optionLine), COLUMN)),
    row.examples.length === 0
      ? []
      : section(
          "Examples",
          row.examples.map((line) => `  ${line}`)
        )
  )
}

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
