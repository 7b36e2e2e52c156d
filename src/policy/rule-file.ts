/** What reading one policy file gives. */
import type { CheckerRule } from "./checker-rule.ts"
import type { PolicyProblem } from "./policy-problem.ts"
import type { PolicyRule, Tier } from "./rule.ts"

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
