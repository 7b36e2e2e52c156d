/**
 * What a person could do to have a refused call allowed: the shortest flag or change, and a rule that can be pasted into a
 * policy file, where one covers the call and no more than it shows.
 */
import { type AlwaysNarrowing, alwaysRules, modesFrom, savedText } from "./always.ts"
import { approvalPrefixes, hasRealRedirection } from "./approval-prefix.ts"
import { type Decision, type DecisionContext, type PolicyCall, SHELL_TOOL } from "./decision.ts"
import { WEB_TOOL } from "./host-rules.ts"
import { type PolicyRule, rankOf, TIER_BASE } from "./rule.ts"
import { isLeftOut } from "./settings-rules.ts"
import { canonicalName } from "./tool-names.ts"

type Advice = Pick<Decision, "allowWith" | "allowRule">

const EDITING = new Set(["replace", "write_file"])
const MODE_TOOLS = new Set(["ask_user", "enter_plan_mode", "exit_plan_mode"])
const MAX_PREFIXES = 4
const MAX_SITES = 4

/** In the middle of what a person may write: above the rules that settings make. */
const PRIORITY = 500
const HIGHEST_PRIORITY = 999

/** Above the rule of the person that asked; \`undefined\` where no rule of theirs is above it. */
const priorityOver = ({ rule }: Decision): number | undefined => {
  if (rule === undefined || TIER_BASE[rule.tier] < TIER_BASE.user) return PRIORITY
  const above = Math.round((rule.priority - TIER_BASE.user) * 1000) + 1
  return above > HIGHEST_PRIORITY ? undefined : Math.max(PRIORITY, above)
}

export const adviceFor = (decision: Decision, call: PolicyCall, context: DecisionContext): Advice => {
  const name = canonicalName(call.name)
  if (decision.power?.kind === "own") return {}
  if (context.forceAsk !== undefined) return { allowWith: "repair the policy file that could not be read" }
  const rule = decision.verdict === "deny" ? decision.rule : undefined
  if (rule !== undefined && rule.tier !== "default" && !isLeftOut(rule.source))
    return { allowWith: `change the rule in ${rule.source}` }
  const rules = context.mode === "plan" ? undefined : rulesFor(name, decision, call, context)
  const priority = priorityOver(decision)
  const allowRule = rules === undefined || priority === undefined ? {} : { allowRule: savedText(rules, priority) }
  if (decision.power !== undefined) return { allowWith: "a rule of yours with allowPowerFiles = true", ...allowRule }
  const allowWith = flagFor(name, call, context)
  return allowWith === undefined ? {} : { allowWith, ...allowRule }
}

/** It is pasted into a shell, and the words are those of a model: nothing of them may act there. */
const IN_DOUBLE_QUOTES = /^[\w %+,.:/@=~^-]+$/

/** Modes that ask less need a folder that is trusted. */
const freerMode = (mode: "auto_edit" | "yolo", { isTrusted }: DecisionContext): string =>
  `--approval-mode ${mode}${isTrusted ? "" : " --skip-trust"}`

const flagFor = (name: string, call: PolicyCall, context: DecisionContext): string | undefined => {
  if (context.mode === "plan") return "--approval-mode default"
  if (name === SHELL_TOOL) {
    const prefixes = redirects(context) ? undefined : prefixesIn(context)
    return prefixes === undefined || prefixes.some((prefix) => !IN_DOUBLE_QUOTES.test(prefix))
      ? freerMode("yolo", context)
      : prefixes.map((prefix) => `--allowed-tools "${SHELL_TOOL}(${prefix})"`).join(" ")
  }
  if (name === WEB_TOOL) {
    const sites = sitesIn(context)
    return sites === undefined || sites.some((site) => !IN_DOUBLE_QUOTES.test(site))
      ? `--allowed-tools ${WEB_TOOL}`
      : `--allowed-tools "${WEB_TOOL}(${sites.join(" ")})"`
  }
  if (EDITING.has(name)) return freerMode("auto_edit", context)
  return MODE_TOOLS.has(name) ? undefined : `--allowed-tools ${agentIn(call) ?? call.name}`
}

/** For all modes but plan, as an answer for good is. A file that gives power is named; no command is let at all of them. */
const rulesFor = (
  name: string,
  { power }: Decision,
  call: PolicyCall,
  context: DecisionContext
): ReadonlyArray<PolicyRule> | undefined => {
  const always = (narrowing: AlwaysNarrowing) => alwaysRules({ toolName: name, narrowing }, "default", "user")
  if (EDITING.has(name)) {
    const { file_path: value } = call.args
    if (power === undefined) return [wholeTool(name)]
    if (typeof value !== "string") return undefined
    return always({ by: "argument", key: "file_path", value })?.map((rule) => ({ ...rule, allowPowerFiles: true }))
  }
  if (power !== undefined || MODE_TOOLS.has(name)) return undefined
  if (name === SHELL_TOOL)
    return always({ by: "command", prefixes: prefixesIn(context) ?? [], allowRedirection: redirects(context) })
  if (name === WEB_TOOL) return always({ by: "hosts", hosts: sitesIn(context) ?? [] })
  return [wholeTool(agentIn(call) ?? call.name)]
}

const wholeTool = (toolName: string): PolicyRule => ({
  toolName,
  decision: "allow",
  rank: rankOf("user", PRIORITY),
  tier: "user",
  source: "advice",
  modes: modesFrom("default")
})

/** Once some commands are named, all others are denied: so every command of the line is named. */
const prefixesIn = ({ reading, shell }: DecisionContext): ReadonlyArray<string> | undefined => {
  const prefixes = shell === undefined ? undefined : approvalPrefixes(shell, reading)
  return prefixes === undefined || prefixes.length === 0 || prefixes.length > MAX_PREFIXES ? undefined : prefixes
}

const redirects = ({ mode, shell }: DecisionContext): boolean =>
  shell !== undefined && hasRealRedirection(shell) && mode !== "yolo"

const sitesIn = ({ web }: DecisionContext): ReadonlyArray<string> | undefined => {
  const sites = web?.sites ?? []
  return sites.length === 0 || sites.length > MAX_SITES ? undefined : sites
}

/** A word for one agent is no word for all of them. */
const agentIn = ({ args, name }: PolicyCall): string | undefined => {
  const agent = name === "invoke_agent" ? args?.agent_name : undefined
  return typeof agent === "string" ? agent : undefined
}
