/**
 * The decision on a shell line: each command in it is judged on its own, by the first rule that is about it, and the
 * strictest verdict is that of the line. So a chain is never easier to run than its parts.
 */
import { resolve } from "node:path"
import type { Opaque, ShellAnalysis, SimpleCommand } from "../shell/analysis/shell-analysis.ts"
import { baseName } from "../shell/analysis/unwrap.ts"
import { isNeutral } from "./approval-prefix.ts"
import { catastropheIn } from "./catastrophe.ts"
import { matchesCommand, matchesText } from "./command-matching.ts"
import { dangerOf } from "./dangerous.ts"
import {
  type CommandVerdict,
  type DecisionContext,
  isStricter,
  type PolicyCall,
  type Verdict,
  type VerdictCause
} from "./decision.ts"
import { isKnownSafe, redirectsOutside, workingFolders } from "./known-safe.ts"
import { isNarrowed, type PolicyRule } from "./rule.ts"
import { askingReason, ruleFacts, verdictOfRule } from "./rule-facts.ts"

export interface ShellOutcome {
  readonly verdict: Verdict
  readonly reason: string
  readonly rule: PolicyRule | undefined
  readonly commands: ReadonlyArray<CommandVerdict>
  /** Nothing opens this verdict. */
  readonly isFinal: boolean
}

interface Judged {
  readonly verdict: Verdict
  readonly cause: VerdictCause
  readonly reason: string
  readonly rule: PolicyRule | undefined
}

/** `rules`: in order, and already known to be about this tool, mode and caller. */
export const decideShell = (
  rules: ReadonlyArray<PolicyRule>,
  call: PolicyCall,
  analysis: ShellAnalysis,
  fallback: Verdict,
  context: DecisionContext
): ShellOutcome => {
  const folder = startOf(call, context)
  const catastrophe = catastropheIn(analysis, folder, context)
  if (catastrophe !== undefined) {
    return { verdict: "deny", reason: `never run: ${catastrophe}`, rule: undefined, commands: [], isFinal: true }
  }
  const line: Line = {
    rules,
    call,
    analysis,
    fallback,
    context,
    folders: workingFolders(analysis.commands, folder, context)
  }
  const commands = analysis.commands.length === 0 ? [unknownCommand(analysis)] : analysis.commands
  const judged = commands.map((command) => ({ command, ...judge(command, line) }))
  const strictest = [...judged, ...textRules(line)].reduce((worst, next) =>
    isStricter(next.verdict, worst.verdict) ? next : worst
  )
  return {
    verdict: strictest.verdict,
    reason: strictest.reason,
    rule: strictest.rule,
    commands: judged.map(({ command, verdict, cause, reason, rule }) => ({
      command: command.text,
      name: command.name,
      via: command.via,
      verdict,
      cause,
      reason,
      ...(rule === undefined ? {} : { rule: ruleFacts(rule) })
    })),
    isFinal: false
  }
}

interface Line {
  readonly rules: ReadonlyArray<PolicyRule>
  readonly call: PolicyCall
  readonly analysis: ShellAnalysis
  readonly fallback: Verdict
  readonly context: DecisionContext
  /** `undefined`: the working folder is not known. */
  readonly folders: ReadonlyArray<string> | undefined
}

const startOf = (call: PolicyCall, context: DecisionContext): string =>
  typeof call.args.dir_path === "string" ? resolve(context.cwd, call.args.dir_path) : context.cwd

/** Stands for a line in which no command could be found. */
const unknownCommand = (analysis: ShellAnalysis): SimpleCommand => ({
  name: "",
  forms: [{ role: "program", words: [] }],
  start: 0,
  end: analysis.text.length,
  text: analysis.text.length > 200 ? `${analysis.text.slice(0, 200)}…` : analysis.text,
  via: [],
  redirections: [],
  readsPipe: false,
  opaque: []
})

const judge = (command: SimpleCommand, line: Line): Judged => {
  // A carrier's script is judged by its own commands, a harmless assignment by nothing: only rules that name them count.
  const isCarrier = isNeutral(command)
  const rule = line.rules.find(
    (candidate) => (!isCarrier || isNarrowed(candidate)) && matchesCommand(candidate, command, line.call)
  )
  const base = rule === undefined ? (isCarrier ? "allow" : line.fallback) : verdictOfRule(rule)
  const judged: Judged = {
    verdict: base,
    cause: rule !== undefined ? "rule" : isCarrier ? "neutral" : "no-rule",
    reason: reasonOf(rule, base, isCarrier),
    rule
  }
  if (base === "deny") return judged
  const isGuarded = prohibition(line) !== undefined
  const opaque = [...line.analysis.opaque, ...command.opaque].filter(({ kind }) => isGuarded || kind !== "environment")
  return redirected(command, opaque.length > 0 ? unclear(judged, opaque, line) : weighed(judged, command, line), line)
}

const reasonOf = (rule: PolicyRule | undefined, verdict: Verdict, isCarrier: boolean): string => {
  if (rule !== undefined)
    return rule.decision === "ask_user"
      ? askingReason(rule)
      : rule.decision === "deny"
        ? "a rule denies it"
        : "a rule allows it"
  if (isCarrier) return "judged by the commands in it"
  return verdict === "allow" ? "nothing speaks against it" : "no rule allows it"
}

/** A rule that forbids some commands: only with one is it of interest what a command might run. */
const prohibition = (line: Line): PolicyRule | undefined =>
  line.rules.find((rule) => rule.decision === "deny" && isNarrowed(rule))

/** What is not understood is not approved by a rule that did not name it. */
const unclear = (judged: Judged, opaque: ReadonlyArray<Opaque>, line: Line): Judged => {
  const why = opaque[0]?.detail ?? "it is not understood"
  if (line.context.mode === "yolo" && judged.verdict === "allow") {
    const forbids = prohibition(line)
    if (forbids === undefined) return judged
    return {
      verdict: "deny",
      cause: "opaque",
      reason: `${why}, so a rule that denies some commands cannot be checked`,
      rule: forbids
    }
  }
  const isNamed = judged.rule !== undefined && isNarrowed(judged.rule) && opaque.every(({ kind }) => kind === "code")
  if (judged.verdict === "allow" && isNamed) return judged
  return { verdict: "ask", cause: "opaque", reason: why, rule: judged.rule }
}

/** Rules that look at the command are taken at their word; the others are weighed against what the command does. */
const weighed = (judged: Judged, command: SimpleCommand, line: Line): Judged => {
  if (judged.rule !== undefined && isNarrowed(judged.rule)) return judged
  const { context, folders } = line
  if (!context.isTrusted && judged.verdict === "allow" && isGit(command)) {
    return {
      ...judged,
      verdict: "ask",
      cause: "untrusted",
      reason: "git in a folder that is not trusted can run programs of the folder"
    }
  }
  if (judged.verdict === "allow") {
    const danger = context.mode === "yolo" ? undefined : dangerOf(command)
    return danger === undefined ? judged : { ...judged, verdict: "ask", cause: "dangerous", reason: danger }
  }
  const isSafe =
    folders !== undefined && (context.isTrusted || !isGit(command)) && isKnownSafe(command, folders, context)
  return isSafe ? { ...judged, verdict: "allow", cause: "safe", reason: "it only looks, inside the workspace" } : judged
}

const isGit = (command: SimpleCommand): boolean =>
  command.forms.some((form) => /^git(?:\.exe)?$/.test(baseName(form.words[0]?.value ?? "")))

const redirected = (command: SimpleCommand, judged: Judged, line: Line): Judged => {
  const real = command.redirections.filter((redirection) => !redirection.isHarmless)
  if (judged.verdict !== "allow" || real.length === 0 || judged.rule?.allowRedirection === true) return judged
  const { mode } = line.context
  if (mode === "yolo") return judged
  const shown = real.map((redirection) => redirection.text).join(" ")
  if (mode !== "auto_edit")
    return { ...judged, verdict: "ask", cause: "redirection", reason: `it redirects: \`${shown}\`` }
  const isInside = line.folders !== undefined && !redirectsOutside(command, line.folders, line.context)
  return isInside
    ? judged
    : { ...judged, verdict: "ask", cause: "redirection", reason: `it redirects outside the workspace: \`${shown}\`` }
}

/** Rules on text also see the line as a whole and its groups; there they can only make the verdict stricter. */
const textRules = (line: Line): ReadonlyArray<Judged> => {
  const onText = line.rules.filter((rule) => rule.commandRegex !== undefined || rule.argsPattern !== undefined)
  if (onText.length === 0) return []
  return [line.analysis.text, ...line.analysis.compounds].flatMap((text) => {
    const rule = onText.find((candidate) => matchesText(candidate, text, line.call))
    if (rule === undefined || rule.decision === "allow") return []
    return [{ verdict: verdictOfRule(rule), cause: "rule", reason: "a rule on the text of the line", rule }]
  })
}
