/**
 * Which tools are not offered to the model because no call of them could succeed.
 *
 * The rules are walked without arguments: a rule with conditions that may allow some call keeps the tool visible, one
 * that may refuse some call says nothing yet, and the first rule without conditions settles it. In a headless run a
 * question is a refusal.
 */
import { type CallTarget, isActive, matchesTarget, type Surroundings } from "./matching.ts"
import { isAlwaysRule, isNarrowed, type PolicyRule } from "./rule.ts"

export interface HidingContext extends Surroundings {
  readonly ignoresAlways: boolean
  readonly forceAsk: string | undefined
}

/** `rules` must be in order. */
export const hiddenTools = (
  rules: ReadonlyArray<PolicyRule>,
  tools: ReadonlyArray<CallTarget>,
  context: HidingContext
): ReadonlyArray<string> => {
  const active = rules.filter((rule) => isActive(rule, context) && !(context.ignoresAlways && isAlwaysRule(rule)))
  return tools.filter((tool) => isHidden(active, tool, context)).map((tool) => tool.name)
}

const isHidden = (active: ReadonlyArray<PolicyRule>, tool: CallTarget, context: HidingContext): boolean => {
  if (!context.isInteractive && context.forceAsk !== undefined) return true
  for (const rule of active) {
    if (!matchesTarget(rule, tool)) continue
    const refuses = rule.decision === "deny" || (rule.decision === "ask_user" && !context.isInteractive)
    const isConditional = isNarrowed(rule) || rule.subagent !== undefined
    if (!isConditional) return refuses
    if (!refuses) return false
  }
  return !context.isInteractive && context.mode !== "yolo"
}
