/**
 * The decision on a tool call: a pure function of the rules, the call and its surroundings. The same function serves a
 * run and `gemini policy test`. It never throws.
 *
 * In order: the first rule that matches (for shell lines: for each command), the fallback where none does, a broken rule
 * file that forces a question, permissions that reach out of the workspace, files that give power, and what becomes of a
 * question that nobody can answer.
 */
import { resolve } from "node:path"
import { opaqueAnalysis, type ShellAnalysis } from "../shell/analysis/shell-analysis.ts"
import { approvalPrefixes, hasRealRedirection } from "./approval-prefix.ts"
import { decideShell } from "./decide-shell.ts"
import { type Decision, type DecisionContext, type PolicyCall, SHELL_TOOL, type Verdict } from "./decision.ts"
import { matchesHosts, WEB_TOOL, webRemedy, withReach } from "./host-rules.ts"
import { matchesArguments, matchesCall, withForms } from "./matching.ts"
import { expandHome, isInWorkspace } from "./paths.ts"
import { withPower } from "./power-verdict.ts"
import { isAlwaysRule, type PolicyRule } from "./rule.ts"
import { askingReason, ruleFacts, verdictOfRule } from "./rule-facts.ts"
import { isLeftOut } from "./settings-rules.ts"
import { canonicalName } from "./tool-names.ts"

const MAX_CONSIDERED = 50

/** A shell call whose analysis is missing is not understood. */
const notAnalysed = opaqueAnalysis("", { kind: "parse-error", detail: "the command was not analysed" })

// The shortest thing a person could do to have a refused call allowed: a flag, or a change to a named rule.

const EDITING = new Set(["replace", "write_file"])
const MODE_TOOLS = new Set(["ask_user", "enter_plan_mode", "exit_plan_mode"])
const MAX_PREFIXES = 4

const remedyFor = (decision: Decision, call: PolicyCall, context: DecisionContext): string | undefined => {
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

/** `rules` must be in order (`inOrder`). */
export const decide = (rules: ReadonlyArray<PolicyRule>, asked: PolicyCall, context: DecisionContext): Decision => {
  const call = withForms(asked, context)
  const about = rules.filter(
    (rule) =>
      !(context.ignoresAlways && isAlwaysRule(rule)) && matchesCall(rule, call, context) && matchesHosts(rule, context)
  )
  const shell = canonicalName(call.name) === SHELL_TOOL ? context.shell : undefined
  const first = shell === undefined ? decidePlain(about, call, context) : undefined
  const outcome = first ?? decideShell(about, call, shell ?? notAnalysed, fallbackFor(call, context), context)
  const drafted: Draft = {
    decision: {
      verdict: outcome.verdict,
      reason: outcome.reason,
      ...(outcome.rule === undefined ? {} : { rule: ruleFacts(outcome.rule) }),
      commands: outcome.commands,
      considered: consideredUpTo(about, outcome.rule),
      ...(outcome.isReading === true ? { isReading: true } : {}),
      ...(outcome.verdict === "deny" && outcome.rule?.denyMessage !== undefined
        ? { denyMessage: outcome.rule.denyMessage }
        : {})
    },
    isFinal: outcome.isFinal
  }
  const reaching = { ...drafted, decision: withReach(drafted.decision, outcome.rule, context) }
  const tightened = widened(forced(reaching, context), call, context)
  const decision = withPower({ decision: tightened.decision, rule: outcome.rule, rules: about }, call, context)
  return settle({ ...tightened, decision }, call, context)
}

/** Turns a question into what it becomes where nobody can be asked; adds what would allow the call. */
export const settle = (draft: Draft, call: PolicyCall, context: DecisionContext): Decision => {
  const { decision, isFinal } = draft
  if (decision.verdict === "allow") return decision
  const remedy = isFinal ? undefined : remedyFor(decision, call, context)
  const explained: Decision = remedy === undefined ? decision : { ...decision, allowWith: remedy }
  if (decision.verdict !== "ask") return explained
  if (call.isClientInitiated === true && outsidePermissions(call, context).length === 0)
    return { ...decision, verdict: "allow" }
  if (context.isInteractive) return explained
  return { ...explained, verdict: "deny", reason: `${decision.reason}; nobody can be asked in a headless run` }
}

export interface Draft {
  readonly decision: Decision
  readonly isFinal: boolean
}

interface Outcome {
  readonly verdict: Verdict
  readonly reason: string
  readonly rule: PolicyRule | undefined
  readonly commands: Decision["commands"]
  readonly isFinal: boolean
  readonly isReading?: boolean
}

const decidePlain = (
  about: ReadonlyArray<PolicyRule>,
  call: PolicyCall,
  context: DecisionContext
): Outcome | undefined => {
  if (canonicalName(call.name) === SHELL_TOOL) return undefined
  const { question, rule } = firstOf(about.filter(isPlain), call)
  const verdict = rule === undefined ? fallbackFor(call, context) : verdictOfRule(rule)
  const deciding = question !== undefined && verdict === "allow" ? question : rule
  const settled = deciding === question && question !== undefined ? "ask" : verdict
  return { verdict: settled, reason: plainReason(deciding, settled), rule: deciding, commands: [], isFinal: false }
}

/**
 * The first rule that is about the call. A question that is about something in it which the tool will not use asks, but
 * does not stand before a prohibition: otherwise a call could choose to be asked about.
 */
const firstOf = (
  rules: ReadonlyArray<PolicyRule>,
  call: PolicyCall
): { readonly rule: PolicyRule | undefined; readonly question: PolicyRule | undefined } => {
  let question: PolicyRule | undefined
  for (const rule of rules) {
    if (rule.decision === "ask_user" && !matchesArguments(rule, call, "used")) {
      if (matchesArguments(rule, call, "wide")) question ??= rule
    } else if (matchesArguments(rule, call, rule.decision === "deny" ? "wide" : "used")) return { rule, question }
  }
  return { rule: undefined, question }
}

/** Rules on shell commands say nothing about other tools, even when their tool name is `*`. */
const isPlain = (rule: PolicyRule): boolean => rule.commandPrefix === undefined && rule.commandRegex === undefined

const plainReason = (rule: PolicyRule | undefined, verdict: Verdict): string => {
  if (rule === undefined) return verdict === "allow" ? "tools of this kind only look" : "no rule allows it"
  if (verdict === "ask") return askingReason(rule)
  return verdict === "deny" ? "a rule denies it" : "a rule allows it"
}

const LOOKING_KINDS = new Set(["read", "search", "think", "communicate"])

/** For tools that no rule is about. What a foreign server says of its tools is not believed. */
const fallbackFor = (call: PolicyCall, context: DecisionContext): Verdict => {
  if (context.mode === "yolo") return "allow"
  if (!context.isInteractive) return "deny"
  return call.server === undefined && LOOKING_KINDS.has(call.kind ?? "") ? "allow" : "ask"
}

const consideredUpTo = (about: ReadonlyArray<PolicyRule>, winner: PolicyRule | undefined): Decision["considered"] => {
  const last = winner === undefined ? about.length : about.indexOf(winner) + 1
  return about.slice(0, Math.min(last, MAX_CONSIDERED)).map(ruleFacts)
}

const forced = (draft: Draft, context: DecisionContext): Draft =>
  context.forceAsk === undefined || draft.decision.verdict !== "allow"
    ? draft
    : { ...draft, decision: { ...draft.decision, verdict: "ask", reason: context.forceAsk } }

const widened = (draft: Draft, call: PolicyCall, context: DecisionContext): Draft => {
  const [path] = draft.decision.verdict === "allow" ? outsidePermissions(call, context) : []
  if (path === undefined) return draft
  return {
    ...draft,
    decision: { ...draft.decision, verdict: "ask", reason: `it asks for access to ${path}, outside the workspace` }
  }
}

/** Paths of `additional_permissions.fileSystem` that lie outside the workspace. */
const outsidePermissions = (call: PolicyCall, context: DecisionContext): ReadonlyArray<string> =>
  stringsIn(call.args.additional_permissions).filter(
    (path) => !isInWorkspace(resolve(context.cwd, expandHome(path, context.home)), context)
  )

const stringsIn = (permissions: unknown): ReadonlyArray<string> => {
  if (typeof permissions !== "object" || permissions === null || !("fileSystem" in permissions)) return []
  const { fileSystem } = permissions
  if (typeof fileSystem !== "object" || fileSystem === null) return []
  return Object.values(fileSystem).flatMap((paths) =>
    Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : []
  )
}
