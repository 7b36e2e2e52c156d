/**
 * The older form of a policy file, `.gemini/policy.toml`: one table for each tool.
 *
 * `mode` becomes a rule at priority 500, `excluded_paths` a question at 510 for calls whose path arguments, resolved,
 * match one of the patterns.
 */
import { Either, ParseResult, Schema } from "effect"
import { unknownFields } from "../config/unknown-fields.ts"
import type { PolicyProblem } from "./policy-problem.ts"
import { type PolicyRule, type RuleDecision, rankOf, type Tier } from "./rule.ts"
import { ToolTable } from "./rule-tables.ts"
import { keyLine, tableLine } from "./toml-lines.ts"
import { BUILT_IN_TOOLS, canonicalName } from "./tool-names.ts"

const DECISIONS: Readonly<Record<typeof ToolTable.fields.mode.Type, RuleDecision>> = {
  always_allow: "allow",
  always_deny: "deny",
  ask_user: "ask_user"
}

export const toolTableRules = (
  document: Readonly<Record<string, unknown>>,
  text: string,
  options: { readonly file: string; readonly tier: Tier }
): { readonly rules: ReadonlyArray<PolicyRule>; readonly problems: ReadonlyArray<PolicyProblem> } => {
  const rules: Array<PolicyRule> = []
  const problems: Array<PolicyProblem> = []
  const tables = typeof document.tools === "object" && document.tools !== null ? Object.entries(document.tools) : []
  const decode = Schema.decodeUnknownEither(ToolTable, { errors: "all" })
  for (const [name, value] of tables) {
    const line = tableLine(text, ["tools", name]) ?? 1
    const report = (kind: PolicyProblem["kind"], at: number, message: string): void => {
      const severity = kind === "tool_name_warning" || kind === "unknown_key" ? "warning" : "error"
      problems.push({ kind, severity, file: options.file, line: at, message })
    }
    const toolName = canonicalName(name)
    if (!BUILT_IN_TOOLS.includes(toolName) && !/^(?:mcp_|discovered_tool_)|\*/.test(name)) {
      report("tool_name_warning", line, `no tool is named "${name}"`)
    }
    const table = decode(value)
    if (Either.isLeft(table)) {
      for (const issue of ParseResult.ArrayFormatter.formatErrorSync(table.left)) {
        const path = issue.path.map(String).join(".")
        report("schema_validation", keyLine(text, line, path) ?? line, `tools.${name}.${path}: ${issue.message}`)
      }
      continue
    }
    for (const { message, path } of unknownFields(ToolTable.ast, value)) {
      const key = path.map(String).join(".")
      report("unknown_key", keyLine(text, line, key) ?? line, `tools.${name}.${key}: ${message}; ignored`)
    }
    const { mode, excluded_paths: pathGlobs } = table.right
    const base = { toolName, tier: options.tier, source: `${options.file}:${line}` }
    rules.push({ ...base, decision: DECISIONS[mode], rank: rankOf(options.tier, 500) })
    if (pathGlobs !== undefined && mode === "always_allow") {
      rules.push({ ...base, decision: "ask_user", rank: rankOf(options.tier, 510), pathGlobs })
    }
  }
  return { rules, problems }
}
