/**
 * The prefixes that stand for what a person approved in a shell line: program, and sub-command where one program is many
 * in one. Approving `git status` should not approve `git push --force`.
 */
import type { CommandForm, ShellAnalysis, SimpleCommand, Word } from "../shell/analysis/shell-analysis.ts"
import { joinWords } from "../shell/analysis/word.ts"
import { type Understanding, understandings } from "./reading/agreement.ts"
import { doubtLeft } from "./reading/permission.ts"
import type { LineReading } from "./reading/reading.ts"
import { prefixWords } from "./rule.ts"

const HAS_SUBCOMMANDS = new Set([
  ...[
    "apt",
    "apt-get",
    "brew",
    "bun",
    "cargo",
    "docker",
    "gcloud",
    "gh",
    "git",
    "go",
    "helm",
    "kubectl",
    "make",
    "npm"
  ],
  ...["npx", "pip", "pip3", "pnpm", "poetry", "systemctl", "terraform", "uv", "yarn"]
])

/** One prefix for each command that needs a permission; `undefined` when no rule could cover the line. */
export const approvalPrefixes = (
  analysis: ShellAnalysis,
  reading: LineReading | undefined
): ReadonlyArray<string> | undefined => {
  if (analysis.opaque.some(({ kind }) => kind !== "environment") || analysis.commands.length === 0) return undefined
  const prefixes: Array<string> = []
  const understood = understandings(analysis, reading)
  for (const [index, command] of analysis.commands.entries()) {
    if (command.opaque.some(({ kind }) => kind !== "code" && kind !== "environment")) return undefined
    const understanding = understood[index]
    if (understanding === undefined || !("command" in understanding)) return undefined
    if (isNeutral(command)) {
      if (understanding.command.doubts.length > 0) return undefined
      continue
    }
    const prefix = [prefixOf(command), wholeOf(command)].find(
      (text) => text !== undefined && settles(text, understanding)
    )
    if (prefix === undefined) return undefined
    prefixes.push(prefix)
  }
  return [...new Set(prefixes)]
}

/** Writes or reads files by redirection, so a rule for it must allow that as well. */
export const hasRealRedirection = (analysis: ShellAnalysis): boolean =>
  analysis.commands.some((command) => command.redirections.some((redirection) => !redirection.isHarmless))

/** Judged by what it carries, not by itself: `bash -c '…'`, a harmless assignment. */
export const isNeutral = (command: SimpleCommand): boolean =>
  command.forms.every(({ role }) => role === "carrier" || role === "transparent")

const prefixOf = (command: SimpleCommand): string | undefined => {
  const program = command.forms.at(-1)
  const name = program?.words[0]
  if (program === undefined || name === undefined || name.value === "") return undefined
  // Permission for a program does not cover it under `sudo` or a changed PATH: those words must be named too.
  const form: CommandForm = command.forms.find(({ role }) => role === "guarded") ?? program
  const end = form.words.indexOf(name) + 1
  if (end === 0) return undefined
  const words = [...form.words.slice(0, end), ...subcommand(name.value, form.words[end])]
  return words.some((word) => word.dynamic.length > 0 || word.hasGlob) ? undefined : joinWords(words)
}

/** All of its words: a rule with them names every option too. */
const wholeOf = ({ forms }: SimpleCommand): string | undefined => {
  const words = forms[0]?.words ?? []
  return words.some((word) => word.dynamic.length > 0 || word.hasGlob) ? undefined : joinWords(words)
}

/** Whether a rule with this prefix would leave no doubt about the command. */
const settles = (prefix: string, understanding: Extract<Understanding, { readonly command: unknown }>): boolean =>
  doubtLeft({ commandPrefix: prefixWords(prefix) }, understanding.command) === undefined

const subcommand = (program: string, next: Word | undefined): ReadonlyArray<Word> =>
  next !== undefined &&
  HAS_SUBCOMMANDS.has(program) &&
  next.dynamic.length === 0 &&
  /^[A-Za-z][\w:-]*$/.test(next.value)
    ? [next]
    : []
