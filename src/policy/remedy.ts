/** The shortest thing a person could do to have a refused call allowed: a flag, or a change to a named rule. */
import { type Decision, type DecisionContext, type PolicyCall, SHELL_TOOL } from "./decision.ts"
import { isLeftOut } from "./settings-rules.ts"
import { canonicalName } from "./tool-names.ts"

const EDITING = new Set(["replace", "write_file", "web_fetch"])
const MODE_TOOLS = new Set(["ask_user", "enter_plan_mode", "exit_plan_mode"])
const HAS_SUBCOMMANDS = new Set([
  "git",
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "cargo",
  "go",
  "docker",
  "kubectl",
  "gh",
  "pip",
  "make"
])

export const remedyFor = (decision: Decision, call: PolicyCall, context: DecisionContext): string | undefined => {
  const name = canonicalName(call.name)
  if (context.forceAsk !== undefined) return "repair the policy file that could not be read"
  const rule = decision.verdict === "deny" ? decision.rule : undefined
  if (rule !== undefined && rule.tier !== "default" && !isLeftOut(rule.source))
    return `change the rule in ${rule.source}`
  if (context.mode === "plan") return "--approval-mode default"
  if (name === SHELL_TOOL) return shellRemedy(decision)
  if (EDITING.has(name)) return "--approval-mode auto_edit"
  if (MODE_TOOLS.has(name)) return undefined
  return `--allowed-tools ${call.name}`
}

const shellRemedy = (decision: Decision): string => {
  const refused = decision.commands.filter((command) => command.verdict !== "allow")
  const prefixes = [...new Set(refused.map((command) => prefixOf(command.command, command.name)))]
  const isNamed =
    refused.length > 0 &&
    refused.every((command) => command.name !== "" && (command.cause === "rule" || command.cause === "no-rule"))
  if (!isNamed || prefixes.length > 3) return "--approval-mode yolo"
  return prefixes.map((prefix) => `--allowed-tools "${SHELL_TOOL}(${prefix})"`).join(" ")
}

/** Program, and sub-command where the program is many in one: approving `git status` should not approve `git push`. */
export const prefixOf = (text: string, name: string): string => {
  if (!HAS_SUBCOMMANDS.has(name)) return name
  const words = text.trim().split(/\s+/)
  const next = words[words.indexOf(name) + 1] ?? ""
  return /^[A-Za-z][\w:-]*$/.test(next) ? `${name} ${next}` : name
}
