/**
 * What a rule that names a command has settled. The person who wrote `run_shell_command(git log)` wants `git log` to run,
 * wherever it looks; they did not think of `--output`. So everything that makes the program do more than it is for stays a
 * question, unless the rule names it too.
 */
import type { PolicyRule } from "../rule.ts"
import type { Doubt, UnderstoodCommand } from "./reading.ts"

type NamingRule = Pick<PolicyRule, "allowOptions" | "commandPrefix">

/** The first doubt that the rule leaves; `undefined`: the command is permitted. */
export const doubtLeft = (rule: NamingRule, command: UnderstoodCommand): Doubt | undefined =>
  command.doubts.find((doubt) => !isSettled(doubt, rule, command))

const isSettled = (doubt: Doubt, rule: NamingRule, { isKnown, words }: UnderstoodCommand): boolean => {
  switch (doubt.kind) {
    case "program":
    case "nature":
    case "path":
      return true
    case "option":
      return doubt.effect === "reaches" || isNamed(doubt.option, rule)
    case "argument":
      return doubt.effect === "reaches"
    // A program without a table does what its name says; the words of one with a table could be any option.
    case "word":
    case "state":
      return !isKnown
    // Whoever writes the path of a program means that one.
    case "lookup":
      return words[0]?.text.includes("/") === true && rule.commandPrefix?.[0] === words[0].text
    case "environment":
    case "script":
      return false
  }
}

/** `allowOptions` of the rule, or the words of its prefix: `sort -o` permits `-o`. */
const isNamed = (option: string, { allowOptions = [], commandPrefix = [] }: NamingRule): boolean =>
  allowOptions.includes(option) ||
  commandPrefix.some(
    (word) => word === option || word.startsWith(`${option}=`) || (/^-[^-]$/.test(option) && word.startsWith(option))
  )
