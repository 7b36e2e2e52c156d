/** What users see: options that work in this version and are not hidden, and the sub-commands. */

import type { OptionRow, RootOption } from "../../src/cli/option-row.ts"
import { rootOptions } from "../../src/cli/option-table.ts"
import { isAvailable } from "../../src/cli/subcommand-match.ts"
import { ExitCode } from "../../src/protocol/exit-code.ts"

export const visibleOptions: ReadonlyArray<RootOption> = rootOptions.filter(
  (row) => isAvailable(row.since) && row.hidden !== true
)

/** Options of each sub-command beside its own. */
export const commonOptions: ReadonlyArray<OptionRow> = [
  { long: "debug", short: "d", type: "boolean", description: "Say on stderr what is done and why." },
  { long: "help", short: "h", type: "boolean", description: "Print this help." }
]

/** With the values that it can have, and which of them holds without it. */
export const describe = ({ choices, description, standard }: OptionRow): string => {
  const fallback = standard === undefined ? "" : ` (default: ${standard})`
  return choices === undefined
    ? `${description.replace(/\.$/, "")}${fallback}.`
    : `${description} One of: ${choices.join(", ")}${fallback}.`
}

export const hasChat: boolean = visibleOptions.some((row) => row.long === "prompt-interactive")

export const INTRODUCTION = "An agent for the terminal that talks to Gemini models."

export interface Example {
  readonly line: string
  readonly does: string
}

export const rootExamples: ReadonlyArray<Example> = [
  { line: 'gemini -p "why does this fail?" < build.log', does: "ask about a file" },
  { line: 'git diff | gemini -p "write a commit message"', does: "ask about the output of a program" },
  { line: 'gemini -p "list the risks" -o json | jq -r .response', does: "use the answer in a script" },
  { line: 'gemini -p "summarise" --max-time 2m < notes.md', does: "never wait longer than that" }
]

export const exitCodes: ReadonlyArray<readonly [code: ExitCode, meaning: string]> = [
  [ExitCode.success, "the run did what was asked"],
  [ExitCode.general, "wrong arguments, or the model could not be reached or gave no answer"],
  [ExitCode.authentication, "no usable credentials"],
  [ExitCode.input, "no prompt, or input that cannot be used"],
  [ExitCode.sandbox, "a sandbox was asked for and cannot be had"],
  [ExitCode.config, "settings that cannot be used"],
  [ExitCode.limit, "a limit of the run was reached"],
  [ExitCode.tool, "a tool failed in a way that ends the run"],
  [ExitCode.untrusted, "the folder is not trusted and the request needs that"],
  [ExitCode.someFailed, "some items of a batch failed"],
  [ExitCode.internal, "a defect of this program"],
  [ExitCode.sigint, "cancelled"]
]
