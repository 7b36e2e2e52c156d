/**
 * The decision on a tool call: a pure function of the rules, the call and its surroundings. The same function serves a
 * run and `gemini policy test`. It never throws.
 *
 * In order: the first rule that matches (for shell lines: for each command), the fallback where none does, a broken rule
 * file that forces a question, permissions that reach out of the workspace, files that give power, and what becomes of a
 * question that nobody can answer.
 */
import { resolve } from "node:path"
import { opaqueAnalysis } from "../shell/analysis/shell-analysis.ts"
import { adviceFor } from "./advice.ts"
import { decideShell } from "./decide-shell.ts"
import { type Decision, type DecisionContext, type PolicyCall, SHELL_TOOL, type Verdict } from "./decision.ts"
import { matchesHosts, withReach } from "./host-rules.ts"
import { matchesArguments, matchesCall, withForms } from "./matching.ts"
import { expandHome, isInWorkspace } from "./paths.ts"
import { withPower } from "./power-verdict.ts"
import { askingReason, isAlwaysRule, type PolicyRule, ruleFacts, verdictOfRule } from "./rule.ts"
import { canonicalName } from "./tool-names.ts"

const MAX_CONSIDERED = 50

/** A shell call whose analysis is missing is not understood. */
const notAnalysed = opaqueAnalysis("", { kind: "parse-error", detail: "the command was not analysed" })

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
  const drafted: DecisionDraft = {
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
export const settle = (draft: DecisionDraft, call: PolicyCall, context: DecisionContext): Decision => {
  const { decision, isFinal } = draft
  if (decision.verdict === "allow") return decision
  const explained: Decision = isFinal ? decision : { ...decision, ...adviceFor(decision, call, context) }
  if (decision.verdict !== "ask") return explained
  if (call.isClientInitiated === true && outsidePermissions(call, context).length === 0)
    return { ...decision, verdict: "allow" }
  if (context.isInteractive) return explained
  return { ...explained, verdict: "deny", reason: `${decision.reason}; nobody can be asked in a headless run` }
}

export interface DecisionDraft {
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
  const place = winner === undefined ? -1 : about.indexOf(winner)
  return about.slice(0, Math.min(place === -1 ? about.length : place + 1, MAX_CONSIDERED)).map(ruleFacts)
}

const forced = (draft: DecisionDraft, context: DecisionContext): DecisionDraft =>
  context.forceAsk === undefined || draft.decision.verdict !== "allow"
    ? draft
    : { ...draft, decision: { ...draft.decision, verdict: "ask", reason: context.forceAsk } }

const widened = (draft: DecisionDraft, call: PolicyCall, context: DecisionContext): DecisionDraft => {
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
