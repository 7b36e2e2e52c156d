/** A rule as it appears in a decision. */
import type { RuleFacts, Verdict } from "./decision.ts"
import { type PolicyRule, ruleText } from "./rule.ts"

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
