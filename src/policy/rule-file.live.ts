/**
 * Reads one policy file: `[[rule]]`, `[[safety_checker]]`, and the older `[tools.<name>]` form. Loaded only where a
 * rule file exists.
 *
 * One bad rule is skipped and reported with its line; the others count. A file that is no TOML at all is the caller's
 * business, because what to do about it depends on whose file it is.
 */
import { Either, ParseResult, Schema, type SchemaAST } from "effect"
import { parse, TomlError } from "smol-toml"
import { unknownFields } from "../config/unknown-fields.ts"
import { closestName } from "../kernel/closest-name.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { SHELL_TOOL } from "./decision.ts"
import { hostPattern, WEB_TOOL } from "./host-rules.ts"
import type { PolicyProblem, ProblemKind, RuleFile, RuleFileOptions } from "./policy-problem.ts"
import { type PolicyRule, prefixWords, type RuleConditions, rankOf } from "./rule.ts"
import {
  CheckerEntry,
  type CheckerTable,
  compileRegex,
  type Matching,
  type Mode,
  NARROWING,
  RuleTable
} from "./rule-tables.ts"
import type { CheckerRule, CheckerSpec } from "./safety-checkers.ts"
import { headerLines, keyLine } from "./toml-lines.ts"
import { probablyMeant } from "./tool-names.ts"
import { toolTableRules } from "./tool-tables.ts"

export const readRuleFile = (text: string, options: RuleFileOptions): RuleFile => {
  const parsed = Either.try({ try: () => parse(text), catch: (cause) => cause })
  if (Either.isLeft(parsed)) {
    const { left } = parsed
    const [message = ""] = (left instanceof Error ? left.message : String(left)).split("\n")
    const line = left instanceof TomlError ? { line: left.line } : {}
    const problem: PolicyProblem = { kind: "toml_parse", severity: "error", file: options.file, ...line, message }
    return { rules: [], checkers: [], problems: [problem], isParsed: false }
  }
  const reader = new Reader(text, options)
  reader.topLevel(parsed.right)
  reader.entries(parsed.right.rule, "rule", (entry, line) => reader.rule(entry, line))
  reader.entries(parsed.right.safety_checker, "safety_checker", (entry, line) => reader.checker(entry, line))
  const { problems, rules } = toolTableRules(parsed.right, text, options)
  const own = reader.result()
  return { ...own, rules: [...own.rules, ...rules], problems: [...own.problems, ...problems] }
}

/** Everything that a file may hold; a rule under another name would count for nothing, and nobody would know. */
const TOP_LEVEL = ["rule", "safety_checker", "tools"]

const decodeRule = Schema.decodeUnknownEither(RuleTable, { errors: "all" })
const decodeChecker = Schema.decodeUnknownEither(CheckerEntry, { errors: "all" })

class Reader {
  private readonly rules: Array<PolicyRule> = []
  private readonly checkers: Array<CheckerRule> = []
  private readonly problems: Array<PolicyProblem> = []
  private readonly text: string
  private readonly options: RuleFileOptions

  constructor(text: string, options: RuleFileOptions) {
    this.text = text
    this.options = options
  }

  result(): RuleFile {
    return { rules: this.rules, checkers: this.checkers, problems: this.problems, isParsed: true }
  }

  topLevel(document: Readonly<Record<string, unknown>>): void {
    for (const name of Object.keys(document).filter((key) => !TOP_LEVEL.includes(key))) {
      const line = headerLines(this.text, name)[0] ?? keyLine(this.text, 1, name) ?? 1
      this.report(
        "schema_validation",
        line,
        `${name}: is not known here, so it has no effect; rules are written as [[rule]]`
      )
    }
  }

  entries(value: unknown, name: string, read: (entry: unknown, line: number) => void): void {
    if (value === undefined) return
    const lines = headerLines(this.text, name)
    if (!Array.isArray(value)) {
      this.report("schema_validation", lines[0] ?? 1, `${name}: must be written as [[${name}]]`)
      return
    }
    for (const [index, entry] of value.entries()) read(entry, lines[index] ?? lines[0] ?? 1)
  }

  rule(entry: unknown, line: number): void {
    const table = this.decoded(decodeRule(entry), line)
    if (table === undefined || !this.isKnown(RuleTable.ast, entry, { line, decision: table.decision })) return
    const { tier } = this.options
    for (const conditions of this.conditions(table, line)) {
      const allowRedirection = table.allowRedirection ?? table.allow_redirection
      const denyMessage = table.denyMessage ?? table.deny_message
      const rank = rankOf(tier, table.priority)
      const all: RuleConditions = {
        ...conditions,
        ...(table.interactive === undefined ? {} : { interactive: table.interactive }),
        ...(table.subagent === undefined ? {} : { subagent: table.subagent })
      }
      const source = `${this.options.file}:${line}`
      this.rules.push({
        ...all,
        decision: table.decision,
        rank,
        tier,
        source,
        ...(allowRedirection === undefined ? {} : { allowRedirection }),
        ...(table.allowOptions === undefined ? {} : { allowOptions: table.allowOptions }),
        ...(this.opensPower(table.allowPowerFiles, line) ? { allowPowerFiles: true } : {}),
        ...(denyMessage === undefined ? {} : { denyMessage })
      })
      if (table.safety_checker !== undefined)
        this.checkers.push({ ...all, rank, source, checker: specOf(table.safety_checker) })
    }
  }

  /** A project or an extension cannot give itself power. */
  private opensPower(wanted: boolean | undefined, line: number): boolean {
    const { tier } = this.options
    if (wanted !== true || tier === "user" || tier === "admin") return wanted === true
    const at = keyLine(this.text, line, "allowPowerFiles") ?? line
    this.report(
      "rule_validation",
      at,
      "allowPowerFiles: counts only in rules of the user or the administrator; ignored"
    )
    return false
  }

  checker(entry: unknown, line: number): void {
    const table = this.decoded(decodeChecker(entry), line)
    if (table === undefined || !this.isKnown(CheckerEntry.ast, entry, { line })) return
    for (const conditions of this.conditions(table, line)) {
      const rank = rankOf(this.options.tier, table.priority)
      this.checkers.push({
        ...conditions,
        rank,
        source: `${this.options.file}:${line}`,
        checker: specOf(table.checker)
      })
    }
  }

  /**
   * Names keys that nobody reads. `false` for a rule that may be wider than it was meant: it allows, and what was
   * misspelt would have narrowed it.
   */
  private isKnown(ast: SchemaAST.AST, entry: unknown, rule: { readonly line: number; readonly decision?: string }) {
    let isSafe = true
    for (const { message, path } of unknownFields(ast, entry)) {
      const key = path.map(String).join(".")
      const widens = rule.decision === "allow" && closestName(String(path[0]), NARROWING) !== undefined
      if (widens) isSafe = false
      const end = widens ? "; the rule is left out, since it would allow more than it says" : "; ignored"
      this.report("unknown_key", keyLine(this.text, rule.line, key) ?? rule.line, `${key}: ${message}${end}`, widens)
    }
    return isSafe
  }

  private decoded<A>(result: Either.Either<A, ParseResult.ParseError>, line: number): A | undefined {
    if (Either.isRight(result)) return result.right
    for (const issue of ParseResult.ArrayFormatter.formatErrorSync(result.left)) {
      const path = issue.path.map(String).join(".")
      this.report(
        "schema_validation",
        keyLine(this.text, line, path) ?? line,
        `${path === "" ? "rule" : path}: ${issue.message}`
      )
    }
    return undefined
  }

  /** One for each name and prefix; none when the rule is not valid. */
  private conditions(table: Matching, line: number): ReadonlyArray<RuleConditions> {
    const names = listOf(table.toolName) ?? (table.mcpName === undefined ? [] : ["*"])
    if (names.length === 0) {
      this.report("schema_validation", line, "toolName: is missing")
      return []
    }
    // A server names its tools itself; what it offers is known when it is connected.
    if (table.mcpName === undefined) for (const name of names) this.warnOfName(name, line)
    const shell = this.shellConditions(table, line)
    if (shell === undefined) return []
    const args =
      table.argsPattern === undefined ? {} : this.regex("argsPattern", table.argsPattern, line, { isAnchored: false })
    if (args === undefined) return []
    const hosts = this.hostConditions(table, line)
    if (hosts === undefined) return []
    return names.flatMap((toolName) =>
      shell.map((condition) => ({
        toolName,
        ...(table.mcpName === undefined ? {} : { mcpName: table.mcpName }),
        ...(table.toolAnnotations === undefined ? {} : { annotations: table.toolAnnotations }),
        ...(table.modes === undefined || table.modes.length === 0 ? {} : { modes: table.modes.map(modeOf) }),
        ...args,
        ...hosts,
        ...condition
      }))
    )
  }

  private hostConditions(table: Matching, line: number): Partial<RuleConditions> | undefined {
    const written = listOf(table.hosts)
    if (written === undefined) return {}
    const wrong = written.find((host) => hostPattern(host) === undefined)
    const fault =
      table.toolName !== WEB_TOOL
        ? `only with toolName = "${WEB_TOOL}"`
        : written.length === 0
          ? "names no host"
          : wrong === undefined
            ? undefined
            : `"${wrong}" is no host; write "example.com" or "*.example.com"`
    if (fault === undefined) return { hosts: written }
    this.report("rule_validation", keyLine(this.text, line, "hosts") ?? line, `hosts: ${fault}`)
    return undefined
  }

  private shellConditions(table: Matching, line: number): ReadonlyArray<Partial<RuleConditions>> | undefined {
    const prefixes = listOf(table.commandPrefix)
    if (prefixes === undefined && table.commandRegex === undefined) return [{}]
    const fault =
      table.toolName !== SHELL_TOOL
        ? `only with toolName = "${SHELL_TOOL}"`
        : prefixes !== undefined && table.commandRegex !== undefined
          ? "commandPrefix and commandRegex exclude each other"
          : table.argsPattern !== undefined
            ? "not together with argsPattern"
            : prefixes?.some((prefix) => prefixWords(prefix).length === 0) === true
              ? "a prefix is empty"
              : undefined
    const key = prefixes === undefined ? "commandRegex" : "commandPrefix"
    if (fault !== undefined) {
      this.report("rule_validation", keyLine(this.text, line, key) ?? line, `${key}: ${fault}`)
      return undefined
    }
    if (prefixes !== undefined) return prefixes.map((prefix) => ({ commandPrefix: prefixWords(prefix) }))
    const regex = this.regex("commandRegex", table.commandRegex ?? "", line, { isAnchored: true })
    return regex === undefined ? undefined : [regex]
  }

  private regex<K extends "argsPattern" | "commandRegex">(
    key: K,
    source: string,
    line: number,
    options: { readonly isAnchored: boolean }
  ): Partial<RuleConditions> | undefined {
    const compiled = compileRegex(source, options)
    if (compiled._tag === "Compiled") return { [key]: compiled.regex }
    this.report("regex_compilation", keyLine(this.text, line, key) ?? line, `${key}: ${compiled.reason}`)
    return undefined
  }

  private warnOfName(name: string, line: number): void {
    const at = keyLine(this.text, line, "toolName") ?? line
    if (name.includes("__"))
      this.report("tool_name_warning", at, `toolName: "${name}" is an old form; write mcp_<server>_<tool>`)
    const meant = probablyMeant(name)
    if (meant !== undefined)
      this.report("tool_name_warning", at, `toolName: no tool is named "${name}"; did you mean "${meant}"?`)
  }

  private report(kind: ProblemKind, line: number, message: string, isError = !WARNINGS.has(kind)): void {
    const severity = isError ? "error" : "warning"
    this.problems.push({ kind, severity, file: this.options.file, line, message })
  }
}

const WARNINGS: ReadonlySet<ProblemKind> = new Set(["tool_name_warning", "unknown_key"])

const listOf = (value: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> | undefined =>
  typeof value === "string" ? [value] : value

const modeOf = (mode: typeof Mode.Type): ApprovalMode => (mode === "autoEdit" ? "auto_edit" : mode)

const specOf = (table: typeof CheckerTable.Type): CheckerSpec => ({
  type: table.type,
  name: table.name,
  ...(table.required_context === undefined ? {} : { requiredContext: table.required_context }),
  ...(table.config === undefined ? {} : { config: table.config })
})
