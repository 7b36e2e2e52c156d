/** The manual page, `man gemini`. */
import type { OptionRow } from "../../src/cli/option-row.ts"
import { ownOptions, visibleSubcommands } from "./subcommand-pages.ts"
import { describe, exitCodes, INTRODUCTION, rootExamples, visibleOptions } from "./visible.ts"

export const manPage = (): string => {
  const groups = Map.groupBy(visibleOptions, (row) => row.group)
  return [
    ".TH GEMINI 1",
    ".SH NAME",
    "gemini \\- agent for the terminal that talks to Gemini models",
    ".SH SYNOPSIS",
    ".B gemini",
    "[\\fIoptions\\fR] [\\fIwords\\fR...]",
    ".br",
    ".B gemini",
    "\\fIcommand\\fR ...",
    ".SH DESCRIPTION",
    text(INTRODUCTION),
    "Piped input is put before the prompt. The answer goes to standard output, everything else to standard error.",
    ".SH OPTIONS",
    ...[...groups].flatMap(([group, rows]) => [`.SS ${text(group)}`, ...rows.flatMap(option)]),
    ".SH COMMANDS",
    ...visibleSubcommands.flatMap((row) => [
      `.SS gemini ${text(row.name)}`,
      text(row.description),
      ...row.usages.flatMap((usage) => [".br", text(`gemini ${row.name} ${usage}`.trimEnd())]),
      ...row.options.flatMap(option),
      ...row.verbs.flatMap((verb) => [
        ".TP",
        `\\fB${text(verb.name)}\\fR ${text(verb.usage)}`.trimEnd(),
        text(verb.description),
        ...ownOptions(row, verb).flatMap((one) => [".br", `${names(one)}: ${text(describe(one))}`])
      ])
    ]),
    ".SH EXIT STATUS",
    ...exitCodes.flatMap(([code, meaning]) => [".TP", `.B ${code}`, text(meaning)]),
    ".SH EXAMPLES",
    ...rootExamples.flatMap(({ line, does }) => [".TP", text(does), text(line)]),
    ""
  ].join("\n")
}

const option = (row: OptionRow): ReadonlyArray<string> => [".TP", names(row), text(describe(row))]

const names = (row: OptionRow): string => {
  const short = row.short === undefined ? "" : `\\fB\\-${row.short}\\fR, `
  const value =
    row.value === undefined ? "" : row.type === "boolean" ? `[=${row.value}]` : ` \\fI${text(row.value)}\\fR`
  return `${short}\\fB\\-\\-${text(row.long)}\\fR${value}`
}

/** A backslash, a dash and a dot or quote at the start of a line mean something to the formatter. */
const text = (plain: string): string =>
  plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&")
