/** What was wrong in a rule file. Reported to the user; the rest of the file counts. */

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
