/** The shortest thing a person could do to have a refused call allowed: a flag, or a change to a named rule. */
import type { ShellAnalysis } from "../shell/analysis/shell-analysis.ts"
import { approvalPrefixes, hasRealRedirection } from "./approval-prefix.ts"
import { type Decision, type DecisionContext, type PolicyCall, SHELL_TOOL } from "./decision.ts"
import { WEB_TOOL, webRemedy } from "./host-rules.ts"
import { isLeftOut } from "./settings-rules.ts"
import { canonicalName } from "./tool-names.ts"

const EDITING = new Set(["replace", "write_file"])
const MODE_TOOLS = new Set(["ask_user", "enter_plan_mode", "exit_plan_mode"])
const MAX_PREFIXES = 4

export const remedyFor = (decision: Decision, call: PolicyCall, context: DecisionContext): string | undefined => {
  const name = canonicalName(call.name)
  if (decision.power?.kind === "own") return undefined
  if (decision.power !== undefined) return "a rule of yours with allowPowerFiles = true"
  if (context.forceAsk !== undefined) return "repair the policy file that could not be read"
  const rule = decision.verdict === "deny" ? decision.rule : undefined
  if (rule !== undefined && rule.tier !== "default" && !isLeftOut(rule.source))
    return `change the rule in ${rule.source}`
  if (context.mode === "plan") return "--approval-mode default"
  if (name === SHELL_TOOL) return shellRemedy(context.shell, context)
  if (name === WEB_TOOL) return webRemedy(context.web)
  if (EDITING.has(name)) return "--approval-mode auto_edit"
  if (MODE_TOOLS.has(name)) return undefined
  return `--allowed-tools ${agentIn(call) ?? call.name}`
}

/** A word for one agent is no word for all of them. */
const agentIn = ({ args, name }: PolicyCall): string | undefined => {
  const agent = name === "invoke_agent" ? args?.agent_name : undefined
  return typeof agent === "string" ? agent : undefined
}

/** Once some commands are named, all others are denied: so every command of the line is named. */
const shellRemedy = (analysis: ShellAnalysis | undefined, context: DecisionContext): string => {
  const prefixes = analysis === undefined ? undefined : approvalPrefixes(analysis, context.reading)
  const redirects = analysis !== undefined && hasRealRedirection(analysis) && context.mode !== "yolo"
  if (prefixes === undefined || prefixes.length === 0 || prefixes.length > MAX_PREFIXES || redirects)
    return "--approval-mode yolo"
  if (prefixes.some((prefix) => /[(),"]/.test(prefix))) return "--approval-mode yolo"
  return prefixes.map((prefix) => `--allowed-tools "${SHELL_TOOL}(${prefix})"`).join(" ")
}
