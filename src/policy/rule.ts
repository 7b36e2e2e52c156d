/**
 * Policy rules as data. Where a rule came from (defaults, settings, a file) is kept with it, because every decision is
 * explained by the rule that made it.
 */
import type { ApprovalMode } from "../protocol/modes.ts"
import { resolveWord } from "../shell/analysis/word.ts"
import type { RuleFacts, Verdict } from "./decision.ts"

export type RuleDecision = "allow" | "deny" | "ask_user"

/** From the weakest to the strongest. A higher tier wins over any priority of a lower one. */
export const TIER_BASE = { default: 1, extension: 2, workspace: 3, user: 4, admin: 5 } as const
export type Tier = keyof typeof TIER_BASE

/** When a rule or a checker applies. Absent conditions hold for every call. */
export interface RuleConditions {
  /** Exact name, `*`, a name ending in `*`, `mcp_*`, `mcp_<server>_*` or `mcp_*_<tool>`. */
  readonly toolName: string
  /** Server name or `*`; `toolName` is then the server's own name of the tool. */
  readonly mcpName?: string
  /** Tested on the canonical argument string (`argument-forms.ts`). */
  readonly argsPattern?: RegExp
  /** Words that a shell command begins with. */
  readonly commandPrefix?: ReadonlyArray<string>
  /** Tested from the beginning of a shell command. */
  readonly commandRegex?: RegExp
  /** Path arguments, resolved, that the rule is about; `~`, `*` within and `**` across segments. */
  readonly pathGlobs?: ReadonlyArray<string>
  /** Hosts that a call of `web_fetch` goes to, as written (`hostPattern`). */
  readonly hosts?: ReadonlyArray<string>
  /** Only for hosts that the person named in a prompt. */
  readonly namedHosts?: true
  /** Only for files in the folder of plans. */
  readonly isPlanFile?: true
  /** Only for shell commands that are known to read, inside the workspace. */
  readonly onlyReads?: true
  readonly annotations?: Readonly<Record<string, unknown>>
  readonly modes?: ReadonlyArray<ApprovalMode>
  readonly interactive?: boolean
  readonly subagent?: string
}

export interface PolicyRule extends RuleConditions {
  readonly decision: RuleDecision
  /** Tier and priority in one number: `4950` is priority 950 of the user tier, written 4.95. */
  readonly rank: number
  readonly tier: Tier
  /** Where it stands: `file:line`, `settings: tools.allowed`, `default rules`. */
  readonly source: string
  readonly allowRedirection?: boolean
  /** Options that the rule permits although they write, run programs or are not known: `--output`. */
  readonly allowOptions?: ReadonlyArray<string>
  /** Covers files that give power as well; only in rules of the user and the administrator. */
  readonly allowPowerFiles?: boolean
  readonly denyMessage?: string
  /** Made by an answer that counts until the program ends, or taking one back; every session of the program keeps it. */
  readonly holdsUntilExit?: true
}

export const rankOf = (tier: Tier, priority: number): number => TIER_BASE[tier] * 1000 + priority

/** "Always allow" answers carry this priority in whatever tier they stand. */
export const ALWAYS_PRIORITY = 950
export const isAlwaysRule = (rule: PolicyRule): boolean =>
  rule.decision === "allow" && rule.rank % 1000 === ALWAYS_PRIORITY

/** Looks at more than the tool: such a rule is taken at its word, heuristics do not soften or harden it. */
export const isNarrowed = (rule: RuleConditions): boolean =>
  rule.argsPattern !== undefined ||
  rule.commandPrefix !== undefined ||
  rule.commandRegex !== undefined ||
  rule.pathGlobs !== undefined ||
  rule.hosts !== undefined ||
  rule.namedHosts === true ||
  rule.isPlanFile === true

const STRICTNESS: Readonly<Record<RuleDecision, number>> = { deny: 0, ask_user: 1, allow: 2 }

/** First match decides, so: highest rank first; at equal rank deny before ask before allow; then as loaded. */
export const inOrder = (rules: ReadonlyArray<PolicyRule>): ReadonlyArray<PolicyRule> =>
  rules.toSorted((one, other) => other.rank - one.rank || STRICTNESS[one.decision] - STRICTNESS[other.decision])

/** One line for people, in the words of the rule files. */
export const ruleText = (rule: PolicyRule): string => {
  const parts = [`${rule.decision} ${rule.toolName}`]
  if (rule.mcpName !== undefined) parts.push(`mcpName=${rule.mcpName}`)
  if (rule.commandPrefix !== undefined) parts.push(`commandPrefix="${rule.commandPrefix.join(" ")}"`)
  if (rule.commandRegex !== undefined) parts.push(`commandRegex=/${rule.commandRegex.source}/`)
  if (rule.argsPattern !== undefined) parts.push(`argsPattern=/${rule.argsPattern.source}/`)
  if (rule.pathGlobs !== undefined) parts.push(`paths=${rule.pathGlobs.join(",")}`)
  if (rule.hosts !== undefined) parts.push(`hosts=${rule.hosts.join(",")}`)
  if (rule.namedHosts === true) parts.push("hosts of prompts")
  if (rule.isPlanFile === true) parts.push("plan files")
  if (rule.onlyReads === true) parts.push("commands that only read")
  if (rule.annotations !== undefined) parts.push(`annotations=${JSON.stringify(rule.annotations)}`)
  if (rule.modes !== undefined) parts.push(`modes=${rule.modes.join(",")}`)
  if (rule.interactive !== undefined) parts.push(rule.interactive ? "interactive" : "headless")
  if (rule.subagent !== undefined) parts.push(`subagent=${rule.subagent}`)
  if (rule.allowRedirection === true) parts.push("allowRedirection")
  if (rule.allowOptions !== undefined) parts.push(`allowOptions=${rule.allowOptions.join(",")}`)
  if (rule.allowPowerFiles === true) parts.push("allowPowerFiles")
  return parts.join(" ")
}

/** A rule as it appears in a decision. */
export const ruleFacts = (rule: PolicyRule): RuleFacts => ({
  source: rule.source,
  tier: rule.tier,
  priority: rule.rank / 1000,
  text: ruleText(rule)
})

export const verdictOfRule = (rule: PolicyRule): Verdict => (rule.decision === "ask_user" ? "ask" : rule.decision)

/** Rules that ship are behind most questions: to whoever is asked, they are how it is by default. */
export const askingReason = ({ tier }: PolicyRule): string =>
  tier === "default" ? "the default is to ask" : "a rule asks for it"

/** The words of a prefix as written in a rule: `git commit -m "a b"` has four. */
export const prefixWords = (prefix: string): ReadonlyArray<string> =>
  (prefix.match(/(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|['"\\])+/g) ?? []).map(
    (raw) => resolveWord(raw).value
  )
