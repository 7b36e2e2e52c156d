/** Decisions and rules as people and scripts read them: `gemini policy test`, `gemini policy list`. */
import type { CommandVerdict, Decision, RuleFacts, Verdict } from "./decision.ts"
import { oneLine, withoutControls } from "./denial-text.ts"
import { type PolicyRule, ruleFacts } from "./rule.ts"

/** Exit code of `gemini policy test`. */
export const exitCodeOf = (verdict: Verdict): 0 | 2 | 3 => (verdict === "allow" ? 0 : verdict === "ask" ? 2 : 3)

export const decisionText = (decision: Decision): string => {
  const lines = [`${decision.verdict}: ${decision.reason}`]
  if (decision.rule !== undefined) lines.push(`  rule: ${ruleLine(decision.rule)}`)
  if (decision.denyMessage !== undefined) lines.push(`  message: ${decision.denyMessage}`)
  if (decision.allowWith !== undefined) lines.push(`  to allow it: ${decision.allowWith}`)
  if (decision.allowRule !== undefined)
    lines.push("  or by this rule in ~/.gemini/policies/allowed.toml:", indented(decision.allowRule))
  if (decision.commands.length > 0) lines.push("commands:", ...decision.commands.flatMap(commandLines))
  if (decision.considered.length > 0)
    lines.push("rules tried, in order:", ...decision.considered.map((rule) => `  ${ruleLine(rule)}`))
  return `${lines.join("\n")}\n`
}

/** Spaces before a key mean nothing in TOML: it can be pasted as it stands. */
const indented = (rule: string): string => withoutControlsInLines(rule.trimEnd()).replace(/^/gm, "    ")

const withoutControlsInLines = (text: string): string => text.split("\n").map(withoutControls).join("\n")

const commandLines = (command: CommandVerdict): ReadonlyArray<string> => {
  const via = command.via.length === 0 ? "" : ` (in ${command.via.join(" > ")})`
  const shown = `  ${command.verdict.padEnd(5)} ${oneLine(command.command)}${via}: ${command.reason}`
  return [
    shown,
    ...(command.doubt === undefined ? [] : [`        not known to read only: ${oneLine(command.doubt)}`]),
    ...(command.rule === undefined ? [] : [`        ${ruleLine(command.rule)}`])
  ]
}

const ruleLine = (rule: RuleFacts): string =>
  withoutControls(`${priorityText(rule.priority)} ${rule.text} [${rule.source}]`)

const priorityText = (priority: number): string => priority.toFixed(3)

export const decisionJson = (decision: Decision): Readonly<Record<string, unknown>> => ({
  verdict: decision.verdict,
  reason: decision.reason,
  rule: decision.rule ?? null,
  commands: decision.commands.map(({ rule, ...command }) => ({ ...command, rule: rule ?? null })),
  considered: decision.considered,
  power: decision.power ?? null,
  deny_message: decision.denyMessage ?? null,
  allow_with: decision.allowWith ?? null,
  allow_rule: decision.allowRule ?? null
})

/** The effective rules, first match first. */
export const rulesText = (rules: ReadonlyArray<PolicyRule>): string =>
  rules.length === 0 ? "No rules.\n" : `${rules.map(listLine).join("\n")}\n`

const listLine = (rule: PolicyRule): string => {
  const { priority, source, text, tier } = ruleFacts(rule)
  return withoutControls(`${priorityText(priority)} ${tier.padEnd(LONGEST_TIER)} ${text} [${source}]`)
}

const LONGEST_TIER = 9

export const rulesJson = (rules: ReadonlyArray<PolicyRule>): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  rules.map((rule) => ({
    decision: rule.decision,
    toolName: rule.toolName,
    priority: rule.rank / 1000,
    tier: rule.tier,
    source: rule.source,
    ...(rule.mcpName === undefined ? {} : { mcpName: rule.mcpName }),
    ...(rule.commandPrefix === undefined ? {} : { commandPrefix: rule.commandPrefix.join(" ") }),
    ...(rule.commandRegex === undefined ? {} : { commandRegex: rule.commandRegex.source }),
    ...(rule.argsPattern === undefined ? {} : { argsPattern: rule.argsPattern.source }),
    ...(rule.pathGlobs === undefined ? {} : { paths: rule.pathGlobs }),
    ...(rule.hosts === undefined ? {} : { hosts: rule.hosts }),
    ...(rule.namedHosts === undefined ? {} : { namedHosts: rule.namedHosts }),
    ...(rule.annotations === undefined ? {} : { toolAnnotations: rule.annotations }),
    ...(rule.modes === undefined ? {} : { modes: rule.modes }),
    ...(rule.interactive === undefined ? {} : { interactive: rule.interactive }),
    ...(rule.subagent === undefined ? {} : { subagent: rule.subagent }),
    ...(rule.allowRedirection === undefined ? {} : { allowRedirection: rule.allowRedirection }),
    ...(rule.allowOptions === undefined ? {} : { allowOptions: rule.allowOptions }),
    ...(rule.allowPowerFiles === undefined ? {} : { allowPowerFiles: rule.allowPowerFiles }),
    ...(rule.denyMessage === undefined ? {} : { denyMessage: rule.denyMessage })
  }))
