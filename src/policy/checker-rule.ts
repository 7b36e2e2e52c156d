/** Safety checkers as data: when one applies, and what it is told. */
import type { RuleConditions } from "./rule.ts"

export interface CheckerSpec {
  readonly type: "in-process" | "external"
  readonly name: string
  /** Parts of the context that it wants; absent: all that there is. */
  readonly requiredContext?: ReadonlyArray<"environment" | "history">
  readonly config?: Readonly<Record<string, unknown>>
}

export interface CheckerRule extends RuleConditions {
  readonly checker: CheckerSpec
  readonly rank: number
  readonly source: string
}
