/**
 * Rules that a person's "always" makes: what is covered, and how it is written to a file.
 *
 * The rule is narrowed to what was approved. For tools that act on files or run commands a rule without narrowing is
 * refused: it would cover far more than the person saw.
 */
import { type ApprovalMode, MODES_BY_FREEDOM } from "../protocol/modes.ts"
import { joinWords, literalWord } from "../shell/analysis/word.ts"
import { type NamingPlace, narrowingValue } from "./argument-forms.ts"
import { ALWAYS_PRIORITY, type PolicyRule, prefixWords, type RuleConditions, rankOf } from "./rule.ts"

/** How an approval is narrowed. Absent: by the tool's name alone. */
export type AlwaysNarrowing =
  | { readonly by: "argument"; readonly key: string; readonly value: string }
  | { readonly by: "command"; readonly prefixes: ReadonlyArray<string>; readonly allowRedirection: boolean }
  | { readonly by: "hosts"; readonly hosts: ReadonlyArray<string> }
  /** `tool` absent: every tool of the server. */
  | { readonly by: "mcp"; readonly server: string; readonly tool?: string }

export interface AlwaysRequest {
  readonly toolName: string
  readonly narrowing?: AlwaysNarrowing
}

export interface AlwaysOptions extends AlwaysRequest {
  /** `session`: until the program ends. */
  readonly keep: "session" | "user" | "workspace"
}

const NEEDS_NARROWING = new Set([
  "run_shell_command",
  "read_file",
  "write_file",
  "replace",
  "list_directory",
  "glob",
  "grep_search",
  "read_many_files",
  "web_fetch"
])

/** The mode in which it was approved, and those that are more permissive. */
export const modesFrom = (mode: ApprovalMode): ReadonlyArray<ApprovalMode> =>
  MODES_BY_FREEDOM.slice(MODES_BY_FREEDOM.indexOf(mode))

/** The rule is about the file, not about how it was spelled this time: permissions are tested on its real name. */
export const rulesOfApproval = (request: AlwaysOptions, place: NamingPlace, mode: ApprovalMode) => {
  const { keep, narrowing, toolName } = request
  const named =
    narrowing?.by === "argument"
      ? { ...narrowing, value: narrowingValue(toolName, narrowing.key, narrowing.value, place) }
      : narrowing
  return alwaysRules(
    { toolName, ...(named === undefined ? {} : { narrowing: named }) },
    mode,
    keep === "user" ? "user" : "workspace"
  )
}

/** The rules for an approval; `undefined` when it would cover too much. */
export const alwaysRules = (
  request: AlwaysRequest,
  mode: ApprovalMode,
  scope: "workspace" | "user"
): ReadonlyArray<PolicyRule> | undefined => {
  const { narrowing, toolName } = request
  if (narrowing === undefined && NEEDS_NARROWING.has(toolName)) return undefined
  const base = {
    decision: "allow",
    rank: rankOf(scope, ALWAYS_PRIORITY),
    tier: scope,
    source: "Dynamic (Confirmed)",
    modes: modesFrom(mode)
  } as const
  const conditions = conditionsOf(request)
  if (conditions.length === 0) return undefined
  const redirects = narrowing?.by === "command" && narrowing.allowRedirection
  return conditions.map((condition) => ({ ...base, ...condition, ...(redirects ? { allowRedirection: true } : {}) }))
}

const conditionsOf = ({ narrowing, toolName }: AlwaysRequest): ReadonlyArray<RuleConditions> => {
  if (narrowing === undefined) return [{ toolName }]
  switch (narrowing.by) {
    case "argument":
      return [{ toolName, argsPattern: new RegExp(argumentPattern(narrowing.key, narrowing.value)) }]
    case "command":
      return narrowing.prefixes
        .map(prefixWords)
        .filter((words) => words.length > 0)
        .map((commandPrefix) => ({ toolName, commandPrefix }))
    case "hosts":
      return narrowing.hosts.length === 0 ? [] : [{ toolName, hosts: narrowing.hosts }]
    case "mcp":
      return [{ toolName: narrowing.tool ?? "*", mcpName: narrowing.server }]
  }
}

/** Matches exactly this value of this top-level argument. */
export const argumentPattern = (key: string, value: string): string =>
  `\\x00${escapeRegex(`${JSON.stringify(key)}:${JSON.stringify(value)}`)}\\x00`

const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The fields that tell one saved entry from another. */
export interface SavedEntry {
  readonly toolName: string
  readonly mcpName?: string
  readonly commandPrefix?: ReadonlyArray<string>
  readonly argsPattern?: string
  readonly hosts?: ReadonlyArray<string>
}

export const savedEntry = (rules: ReadonlyArray<PolicyRule>): SavedEntry => {
  const first = rules[0]
  const prefixes = rules.flatMap((rule) =>
    rule.commandPrefix === undefined ? [] : [joinWords(rule.commandPrefix.map(literalWord))]
  )
  return {
    toolName: first?.toolName ?? "",
    ...(first?.mcpName === undefined ? {} : { mcpName: first.mcpName }),
    ...(prefixes.length === 0 ? {} : { commandPrefix: prefixes }),
    ...(first?.argsPattern === undefined ? {} : { argsPattern: first.argsPattern.source }),
    ...(first?.hosts === undefined ? {} : { hosts: first.hosts })
  }
}

/**
 * The entry as it stands in `auto-saved.toml`; also what a person is shown before it is saved, and with a priority of its
 * own, what a person may put into a file.
 */
export const savedText = (rules: ReadonlyArray<PolicyRule>, priority: number = ALWAYS_PRIORITY): string => {
  const entry = savedEntry(rules)
  const lines = ["[[rule]]", 'decision = "allow"', `priority = ${priority}`, `toolName = ${quoted(entry.toolName)}`]
  if (entry.mcpName !== undefined) lines.push(`mcpName = ${quoted(entry.mcpName)}`)
  if (entry.commandPrefix !== undefined) lines.push(`commandPrefix = [ ${entry.commandPrefix.map(quoted).join(", ")} ]`)
  if (entry.argsPattern !== undefined) lines.push(`argsPattern = ${quoted(entry.argsPattern)}`)
  if (entry.hosts !== undefined) lines.push(`hosts = [ ${entry.hosts.map(quoted).join(", ")} ]`)
  if (rules[0]?.allowRedirection === true) lines.push("allowRedirection = true")
  if (rules[0]?.allowPowerFiles === true) lines.push("allowPowerFiles = true")
  const modes = (rules[0]?.modes ?? []).map((mode) => (mode === "auto_edit" ? "autoEdit" : mode))
  lines.push(`modes = [ ${modes.map(quoted).join(", ")} ]`)
  return `${lines.join("\n")}\n`
}

/** A basic string of TOML is a JSON string, but for the one control character that JSON leaves alone. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("\x7f", "\\u007f")
