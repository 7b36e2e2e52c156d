/**
 * The decision on a shell line: each command in it is judged on its own, by the first rule that is about it, and the
 * strictest verdict is that of the line. So a chain is never easier to run than its parts.
 *
 * Prohibitions are looked for in everything that may run. What runs unasked, or because a rule names it, is decided by
 * what is understood of the line: nothing is permitted because it was not recognised as dangerous.
 */
import { resolve } from "node:path"
import type { Opaque, ShellAnalysis, SimpleCommand } from "../shell/analysis/shell-analysis.ts"
import { baseName } from "../shell/analysis/unwrap.ts"
import { isNeutral } from "./approval-prefix.ts"
import { catastropheIn, dangerOf } from "./catastrophe.ts"
import { matchesCommand, matchesText } from "./command-matching.ts"
import {
  type CommandVerdict,
  type DecisionContext,
  isStricter,
  type PolicyCall,
  SHELL_TOOL,
  type Verdict,
  type VerdictCause
} from "./decision.ts"
import { isOpenInWorkspace } from "./paths.ts"
import { type Understanding, understandings } from "./reading/agreement.ts"
import { doubtLeft } from "./reading/permission.ts"
import { type RedirectedFile, readsOnly, type UnderstoodCommand } from "./reading/reading.ts"
import { askingReason, isNarrowed, type PolicyRule, rankOf, ruleFacts, verdictOfRule } from "./rule.ts"

export interface ShellOutcome {
  readonly verdict: Verdict
  readonly reason: string
  readonly rule: PolicyRule | undefined
  readonly commands: ReadonlyArray<CommandVerdict>
  /** Nothing opens this verdict. */
  readonly isFinal: boolean
  readonly isReading: boolean
}

interface Judged {
  readonly verdict: Verdict
  readonly cause: VerdictCause
  readonly reason: string
  readonly rule: PolicyRule | undefined
}

/** A command of the line, with what is understood of it. */
interface Part {
  readonly command: SimpleCommand
  readonly understanding: Understanding
}

/** `rules`: in order, and already known to be about this tool, mode and caller. */
export const decideShell = (
  rules: ReadonlyArray<PolicyRule>,
  call: PolicyCall,
  analysis: ShellAnalysis,
  fallback: Verdict,
  context: DecisionContext
): ShellOutcome => {
  const catastrophe = catastropheIn(analysis, startOf(call, context), context)
  if (catastrophe !== undefined) {
    const reason = `never run: ${catastrophe}`
    return { verdict: "deny", reason, rule: undefined, commands: [], isFinal: true, isReading: false }
  }
  const line: Line = { rules, call, analysis, fallback, context }
  const understood = understandings(analysis, context.reading)
  const parts: ReadonlyArray<Part> =
    analysis.commands.length === 0
      ? [{ command: unknownCommand(analysis), understanding: { why: "there is no command in it" } }]
      : analysis.commands.map((command, index) => ({
          command,
          understanding: understood[index] ?? { why: "it was not read" }
        }))
  const judged = parts.map((part) => ({ ...part, ...judge(part, line) }))
  const strictest = [...judged, ...textRules(line)].reduce((worst, next) =>
    isStricter(next.verdict, worst.verdict) ? next : worst
  )
  return {
    verdict: strictest.verdict,
    reason: strictest.reason,
    rule: strictest.rule,
    commands: judged.map(({ command, understanding, verdict, cause, reason, rule }) => {
      const doubt = verdict === "ask" && cause !== "doubt" ? doubtOf(understanding) : undefined
      return {
        command: command.text,
        name: command.name,
        via: command.via,
        verdict,
        cause,
        reason,
        ...(doubt === undefined ? {} : { doubt }),
        ...(rule === undefined ? {} : { rule: ruleFacts(rule) })
      }
    }),
    isFinal: false,
    // What is allowed anyway may leave a job behind; what only its reading permits is held by the wall, and ends with it.
    isReading: parts.every(isReading) && !(analysis.hasBackground && judged.every(({ cause }) => cause !== "safe"))
  }
}

interface Line {
  readonly rules: ReadonlyArray<PolicyRule>
  readonly call: PolicyCall
  readonly analysis: ShellAnalysis
  readonly fallback: Verdict
  readonly context: DecisionContext
}

export const startOf = (call: PolicyCall, context: DecisionContext): string =>
  typeof call.args.dir_path === "string" ? resolve(context.cwd, call.args.dir_path) : context.cwd

/** In no list: it stands for what is known of programs, so that an allowance names what allowed it. */
const READING_RULE: PolicyRule = {
  toolName: SHELL_TOOL,
  onlyReads: true,
  decision: "allow",
  rank: rankOf("default", 10),
  tier: "default",
  source: "default rules"
}

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
  isNested: false,
  opaque: []
})

const isReading = ({ understanding }: Part): boolean =>
  "command" in understanding && readsOnly(understanding.command) && understanding.command.redirections.length === 0

/** The first reason why a command does not count as reading. */
const doubtOf = (understanding: Understanding): string | undefined =>
  "command" in understanding ? understanding.command.doubts[0]?.why : understanding.why

const judge = (part: Part, line: Line): Judged => {
  const { command } = part
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
  if (line.context.mode === "yolo" && base === "allow") return unbounded(judged, part, line)
  if (rule !== undefined && !isNarrowed(rule) && base === "allow") {
    return redirected(part, weighed(judged, part, line), line)
  }
  return redirected(part, understoodOnly(judged, part, line), line)
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

const opaqueIn = ({ command }: Part, line: Line): ReadonlyArray<Opaque> =>
  [...line.analysis.opaque, ...command.opaque].filter(
    ({ kind }) => kind !== "environment" || prohibition(line) !== undefined
  )

/** In yolo mode all is allowed, unless it cannot be told whether it is something that a rule forbids. */
const unbounded = (judged: Judged, part: Part, line: Line): Judged => {
  const [opaque] = opaqueIn(part, line)
  const forbids = prohibition(line)
  if (opaque === undefined || forbids === undefined) return judged
  return {
    verdict: "deny",
    cause: "opaque",
    reason: `${opaque.detail}, so a rule that denies some commands cannot be checked`,
    rule: forbids
  }
}

/** A rule allows all of the shell: what it allows is weighed against what the command does. */
const weighed = (judged: Judged, part: Part, line: Line): Judged => {
  const [opaque] = opaqueIn(part, line)
  if (opaque !== undefined) return { verdict: "ask", cause: "opaque", reason: opaque.detail, rule: judged.rule }
  if (!line.context.isTrusted && isGit(part.command)) {
    return {
      ...judged,
      verdict: "ask",
      cause: "untrusted",
      reason: "git in a folder that is not trusted can run programs of the folder"
    }
  }
  const danger = dangerOf(part.command)
  return danger === undefined ? judged : { ...judged, verdict: "ask", cause: "dangerous", reason: danger }
}

/** Without a rule, or by one that names the command: only what is understood runs, and only as far as it is. */
const understoodOnly = (judged: Judged, part: Part, line: Line): Judged => {
  const { command, understanding } = part
  const asked = (reason: string): Judged => ({ ...judged, verdict: "ask", cause: "doubt", reason })
  if (!("command" in understanding)) return judged.verdict === "allow" ? asked(understanding.why) : judged
  // The code of an interpreter is what a rule that names it permits, unless another rule forbids what it might run.
  const isCodeMeant = judged.rule !== undefined && prohibition(line) === undefined
  const opaque = opaqueIn(part, line).find(({ kind }) => kind !== "code" || !isCodeMeant)
  if (judged.verdict === "allow") {
    if (opaque !== undefined) return { ...asked(opaque.detail), cause: "opaque" }
    const [own] = understanding.command.doubts
    const left =
      judged.rule === undefined
        ? own
        : doubtLeft(judged.rule, understanding.command, isTextAbout(judged.rule, part, understanding.command, line))
    return left === undefined ? judged : asked(left.why)
  }
  if (judged.rule !== undefined && isNarrowed(judged.rule)) return judged
  const isSafe = opaque === undefined && readsOnly(understanding.command) && (line.context.isTrusted || !isGit(command))
  return isSafe
    ? { verdict: "allow", cause: "safe", reason: "it only looks, inside the workspace", rule: READING_RULE }
    : judged
}

/** Whether a rule on text is about the program that is called first, wrappers that are understood aside. */
const isTextAbout = (rule: PolicyRule, { command }: Part, { inner }: UnderstoodCommand, line: Line): boolean =>
  inner[0]?.text === command.forms.at(-1)?.words[0]?.value || matchesText(rule, command.text, line.call)

const isGit = (command: SimpleCommand): boolean =>
  command.forms.some((form) => /^git(?:\.exe)?$/.test(baseName(form.words[0]?.value ?? "")))

const redirected = ({ command, understanding }: Part, judged: Judged, line: Line): Judged => {
  const files = "command" in understanding ? understanding.command.redirections : undefined
  // Both readings of the line count: the grammar takes some for arguments, and words for more targets of others.
  const wide = command.redirections.filter((redirection) => !redirection.isHarmless)
  const read = (files ?? []).filter(({ access }) => access !== "document")
  const real = [...wide, ...read]
  if (judged.verdict !== "allow" || real.length === 0 || judged.rule?.allowRedirection === true) return judged
  const unread = wide.filter(({ text }) => !read.some((file) => text.includes(file.text)))
  const shown = [...new Set([...unread, ...read].map(({ text }) => text))].join(" ")
  if (line.context.mode !== "auto_edit")
    return { ...judged, verdict: "ask", cause: "redirection", reason: `it redirects: \`${shown}\`` }
  return files?.every((file) => staysInside(file, line.context)) === true
    ? judged
    : { ...judged, verdict: "ask", cause: "redirection", reason: `it redirects outside the workspace: \`${shown}\`` }
}

const staysInside = ({ access, paths }: RedirectedFile, context: DecisionContext): boolean =>
  access === "document" || paths?.every((path) => isOpenInWorkspace(path, access, context)) === true

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
