/**
 * What reading a rule file gives: rules, and what was wrong. That is told, and the rest of the file counts; where the
 * file must not be ignored, the run does not start.
 */

import { Schema } from "effect"
import type { PolicyRule, Tier } from "./rule.ts"
import type { CheckerRule } from "./safety-checkers.ts"

export type ProblemKind =
  | "file_read"
  | "toml_parse"
  | "schema_validation"
  | "rule_validation"
  | "regex_compilation"
  | "tool_name_warning"
  /** A key that nobody reads. */
  | "unknown_key"
  /** A source that was not used as a whole: wrong owner, not confirmed, replaced by a flag. */
  | "source_skipped"

export interface PolicyProblem {
  readonly kind: ProblemKind
  readonly severity: "error" | "warning"
  readonly file: string
  readonly line?: number
  readonly message: string
}

export const problemText = (problem: PolicyProblem): string =>
  `${problem.file}${problem.line === undefined ? "" : `:${problem.line}`}: ${problem.message}`

/** What reading one policy file gives. */
export interface RuleFile {
  readonly rules: ReadonlyArray<PolicyRule>
  readonly checkers: ReadonlyArray<CheckerRule>
  readonly problems: ReadonlyArray<PolicyProblem>
  /** False: not one rule could be read, because the file is no TOML. */
  readonly isParsed: boolean
}

export interface RuleFileOptions {
  readonly file: string
  readonly tier: Tier
}

/** A rule file that must not be ignored cannot be used. The run does not start (exit code 52). */
export class PolicyError extends Schema.TaggedError<PolicyError>()("PolicyError", {
  file: Schema.String,
  /** Not `line`: an error has one of its own, the line of our source that made it. */
  atLine: Schema.optional(Schema.Int),
  detail: Schema.String
}) {
  override get message() {
    const place = this.atLine === undefined ? this.file : `${this.file}:${this.atLine}`
    return `A policy file cannot be used, so nothing may run: ${place}: ${this.detail}`
  }
}
