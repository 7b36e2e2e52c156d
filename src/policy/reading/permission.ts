/**
 * What a rule that names a command has settled. The person who wrote `run_shell_command(git log)` wants `git log` to run,
 * wherever it looks; they did not think of `--output`. So everything that makes the program do more than it is for stays a
 * question, unless the rule names it too.
 */
import type { PolicyRule } from "../rule.ts"
import type { Doubt, UnderstoodCommand } from "./reading.ts"

type NamingRule = Pick<PolicyRule, "allowOptions" | "commandPrefix">

/**
 * The first doubt that the rule leaves; `undefined`: the command is permitted. `isTextNamed`: of a rule on text, whether
 * it is about the program that is called, and not only about one that this program would start.
 */
export const doubtLeft = (rule: NamingRule, command: UnderstoodCommand, isTextNamed = true): Doubt | undefined =>
  command.doubts.find((doubt) => !isSettled(doubt, rule, command, isTextNamed))

const isSettled = (
  doubt: Doubt,
  rule: NamingRule,
  { inner, isKnown, words }: UnderstoodCommand,
  isTextNamed: boolean
): boolean => {
  switch (doubt.kind) {
    // Who permits `find` permits no program that is not known to do no more than start it: `busybox find`.
    case "program":
      return rule.commandPrefix === undefined ? isTextNamed : rule.commandPrefix[0] === inner[0]?.text
    case "nature":
    case "path":
      return true
    case "option":
      return doubt.effect === "reaches" || isOptionNamed(doubt.option, rule)
    case "argument":
      return doubt.effect === "reaches"
    // A program without a table does what its name says; the words of one with a table could be any option.
    case "word":
    case "state":
      return !isKnown
    // Whoever names a program means the one that they have themselves; whoever writes its path means that one.
    case "lookup":
      if (doubt.isOwn) return true
      return words[0]?.text.includes("/") === true && rule.commandPrefix?.[0] === words[0].text
    case "environment":
    case "script":
      return false
  }
}

/** `allowOptions` of the rule, or the words of its prefix: `sort -o` permits `-o`. */
const isOptionNamed = (option: string, { allowOptions = [], commandPrefix = [] }: NamingRule): boolean =>
  allowOptions.includes(option) ||
  commandPrefix.some(
    (word) => word === option || word.startsWith(`${option}=`) || (/^-[^-]$/.test(option) && word.startsWith(option))
  )
