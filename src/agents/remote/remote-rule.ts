/** Calls of a remote agent are asked about, each of them, unless the user has a rule for that agent. Pure. */
import { type PolicyRule, rankOf } from "../../policy/rule.ts"

/** Above the rule that lets agents be called, below every rule of the user. */
const PRIORITY = 130

export const remoteRule = (name: string, rules: ReadonlyArray<PolicyRule>): PolicyRule | undefined => {
  const isSettled = rules.some((rule) => rule.toolName === name && (rule.tier !== "default" || rule.source === SOURCE))
  return isSettled
    ? undefined
    : { toolName: name, decision: "ask_user", rank: rankOf("default", PRIORITY), tier: "default", source: SOURCE }
}

const SOURCE = "AgentRegistry (Dynamic)"
