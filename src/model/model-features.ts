/** What a model can do, told from its id: which history it accepts, and how its thinking is set. Pure. */
import { Predicate } from "effect"
import { generationOf } from "../retry/availability/policy-chain.ts"
import type { GenerationConfig } from "./model-client.ts"
import type { ResolvedConfig } from "./model-configs.ts"
import { isGemini3 } from "./model-names.ts"

export const isGemini2 = (id: string): boolean => generationOf(id) === 2

/** Gemini 3, and every model that is not Gemini at all: assumed to be at least as able. */
export const hasModernFeatures = (id: string): boolean => isGemini3(id) || !id.startsWith("gemini-")

/** Images and documents may stand inside a function response; otherwise they go beside it. */
export const takesMediaInResponses = (id: string): boolean => isGemini3(id)

/** As shown to people: the variant for own tools is the same model to them. */
export const displayName = (id: string): string => id.replace(/-customtools$/, "")

/** Beyond this many tokens of thought, a budget stands for the high level. */
const LOW_BUDGET = 1024
const HIGH_BUDGET = 8192

/**
 * Another model for the same purpose: limits, tools and temperature of the purpose stay. Only the way in which
 * thinking is set changes: Gemini 3 takes a level, Gemini 2.5 a budget.
 */
export const substituteModel = ({ config }: ResolvedConfig, model: string): ResolvedConfig => {
  const thinking = config.thinkingConfig
  if (!Predicate.isRecord(thinking)) return { model, config }
  return { model, config: { ...config, thinkingConfig: thinkingFor(model, thinking) } }
}

const thinkingFor = (model: string, thinking: GenerationConfig): GenerationConfig => {
  const { thinkingBudget, thinkingLevel, ...rest } = thinking
  if (isGemini3(model) && thinkingLevel === undefined && typeof thinkingBudget === "number") {
    // Negative: the model decides, which is what leaving the level out means.
    if (thinkingBudget < 0) return rest
    return { ...rest, thinkingLevel: thinkingBudget > LOW_BUDGET ? "HIGH" : "LOW" }
  }
  if (isGemini2(model) && thinkingBudget === undefined && thinkingLevel !== undefined) {
    return { ...rest, thinkingBudget: thinkingLevel === "HIGH" ? HIGH_BUDGET : LOW_BUDGET }
  }
  return thinking
}
