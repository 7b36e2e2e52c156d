/** Rules that stand in settings and flags rather than in rule files: `tools.allowed`, `mcp.excluded` and their kin. */
import type { ApprovalMode } from "../protocol/modes.ts"
import { SHELL_TOOL } from "./decision.ts"
import { WEB_TOOL } from "./host-rules.ts"
import { type PolicyRule, prefixWords, type RuleConditions, type RuleDecision, TIER_BASE } from "./rule.ts"
import { canonicalName } from "./tool-names.ts"

export interface PolicySettings {
  /** `tools.core`; absent means no restriction, empty means no built-in tool. */
  readonly coreTools?: ReadonlyArray<string>
  /** `--allowed-tools`, else `tools.allowed`. */
  readonly allowedTools: ReadonlyArray<string>
  /** `tools.exclude` of all sources together. */
  readonly excludedTools: ReadonlyArray<string>
  /** What extensions exclude; the user's own rules beat it. */
  readonly excludedByExtensions?: ReadonlyArray<{ readonly extension: string; readonly entry: string }>
  /** `tools.confirmationRequired`. */
  readonly confirmedTools: ReadonlyArray<string>
  /** `tools.autoAccept` is off: commands that only look ask like all others. */
  readonly asksOfReading?: boolean
  /** `mcp.allowed` or `--allowed-mcp-server-names`. */
  readonly allowedServers: ReadonlyArray<string>
  /** `mcp.excluded`; `*` is every server. */
  readonly excludedServers: ReadonlyArray<string>
  /** Configured servers; `trust` as in `mcpServers.<name>.trust`. */
  readonly servers: Readonly<Record<string, { readonly trust: boolean }>>
  /** `mcp.autoAllowInHeadless`. */
  readonly allowsServersHeadless: boolean
}

export const noSettings: PolicySettings = {
  allowedTools: [],
  excludedTools: [],
  confirmedTools: [],
  allowedServers: [],
  excludedServers: [],
  servers: {},
  allowsServersHeadless: false
}

const NOT_PLAN: ReadonlyArray<ApprovalMode> = ["default", "auto_edit", "yolo"]

export const settingsRules = (
  settings: PolicySettings,
  surroundings: { readonly isInteractive: boolean }
): ReadonlyArray<PolicyRule> => {
  const trusted = Object.entries(settings.servers).filter(([, server]) => server.trust)
  const configured = Object.keys(settings.servers)
  const headless = !surroundings.isInteractive && settings.allowsServersHeadless
  return [
    ...settings.excludedServers.map((server) => forServer(server, "deny", 900, "mcp.excluded")),
    ...settings.excludedTools.map((entry) => rule(conditionsOf(entry), "deny", 400, "tools.exclude")),
    ...(settings.excludedByExtensions ?? []).map(exclusion),
    ...(surroundings.isInteractive ? [] : [rule({ toolName: "ask_user" }, "deny", 400, "headless run")]),
    ...settings.confirmedTools.map((entry) => rule(conditionsOf(entry), "ask_user", 350, "tools.confirmationRequired")),
    ...settings.allowedTools.map((entry) => rule(conditionsOf(entry), "allow", 300, "tools.allowed")),
    ...narrowedTools(settings.allowedTools).map((toolName) => rule({ toolName }, "deny", 290, "tools.allowed")),
    ...coreRules(settings.coreTools),
    ...(settings.asksOfReading === true ? [READING_ASKS] : []),
    ...trusted.map(([server]) => forServer(server, "allow", 200, `mcpServers.${server}.trust`, NOT_PLAN)),
    ...settings.allowedServers.map((server) => forServer(server, "allow", 100, "mcp.allowed", NOT_PLAN)),
    ...(headless ? configured : []).map((server) =>
      forServer(server, "allow", 100, "mcp.autoAllowInHeadless", NOT_PLAN)
    )
  ]
}

/** Weaker than every other rule of the user. Narrowed, so that understanding the command does not open it. */
const READING_ASKS: PolicyRule = {
  toolName: SHELL_TOOL,
  commandRegex: /^/,
  modes: ["default", "auto_edit"],
  decision: "ask_user",
  rank: TIER_BASE.user * 1000,
  tier: "user",
  source: "settings: tools.autoAccept"
}

const coreRules = (entries: ReadonlyArray<string> | undefined): ReadonlyArray<PolicyRule> => {
  if (entries === undefined) return []
  const modes = NOT_PLAN
  return [
    ...entries.map((entry) => rule({ ...conditionsOf(entry), modes }, "allow", 250, "tools.core")),
    rule({ toolName: "*", modes }, "deny", 240, "tools.core")
  ]
}

/**
 * `run_shell_command(git status)` names a tool and a prefix, the parentheses of `web_fetch` name hosts; those of
 * other tools say nothing.
 */
export const conditionsOf = (entry: string): RuleConditions => {
  const parts = /^\s*([^(]*?)\s*(?:\((.*)\)\s*)?$/s.exec(entry)
  const toolName = canonicalName(parts?.[1] ?? entry.trim())
  if (toolName === WEB_TOOL && parts?.[2] !== undefined) return { toolName, ...hostsIn(parts[2]) }
  const prefix = prefixWords(parts?.[2] ?? "")
  return toolName === SHELL_TOOL && prefix.length > 0 ? { toolName, commandPrefix: prefix } : { toolName }
}

const hostsIn = (text: string): Pick<RuleConditions, "hosts"> => {
  const hosts = text.split(/[\s,]+/).filter((word) => word !== "")
  return hosts.length === 0 || hosts.includes("*") ? {} : { hosts }
}

/** Tools that are allowed in part: what was not named is denied, unless the tool is also named without conditions. */
const narrowedTools = (entries: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = entries.map(conditionsOf)
  const narrowed = all.filter((entry) => entry.commandPrefix !== undefined).map((entry) => entry.toolName)
  const whole = new Set(all.filter((entry) => entry.commandPrefix === undefined).map((entry) => entry.toolName))
  return [...new Set(narrowed)].filter((name) => !whole.has(name))
}

const forServer = (
  server: string,
  decision: RuleDecision,
  priority: number,
  source: string,
  modes?: ReadonlyArray<ApprovalMode>
): PolicyRule =>
  rule({ toolName: "*", mcpName: server, ...(modes === undefined ? {} : { modes }) }, decision, priority, source)

/** As a rule of the extension itself would be. */
const exclusion = ({ entry, extension }: { readonly entry: string; readonly extension: string }): PolicyRule => ({
  ...conditionsOf(entry),
  decision: "deny",
  rank: TIER_BASE.extension * 1000 + 400,
  tier: "extension",
  source: `extension ${extension}: excludeTools`
})

/** The denial of what `tools.allowed` left out is lifted by naming more, not by changing a rule. */
export const isLeftOut = (source: string): boolean => source === "settings: tools.allowed"

/** `priority` within the user tier. */
const rule = (conditions: RuleConditions, decision: RuleDecision, priority: number, source: string): PolicyRule => ({
  ...conditions,
  decision,
  rank: TIER_BASE.user * 1000 + priority,
  tier: "user",
  source: source === "headless run" ? source : `settings: ${source}`
})
