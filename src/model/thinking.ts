/**
 * How much a model thinks, as a person says it, in the terms of the model: Gemini 2.5 takes a budget of tokens, Gemini 3 a
 * level. Pure; what a model cannot do is said.
 */
import { Predicate } from "effect"
import type { ResolvedConfig } from "./model-configs.ts"
import { isGemini2 } from "./model-features.ts"
import { isGemini3 } from "./model-names.ts"

export type ThinkingWish = "off" | "low" | "medium" | "high" | number

export interface ThinkingAnswer {
  readonly resolved: ResolvedConfig
  /** What of the wish cannot be had. */
  readonly notice?: string
}

const BUDGETS = { off: 0, low: 1024, medium: 8192, high: 24_576 } as const
/** The least and the most tokens of the larger model; the others go down to none, and not as far up. */
const PRO = { least: 128, most: 32_768 }
const MOST = 24_576

export const withThinking = (resolved: ResolvedConfig, wish: ThinkingWish): ThinkingAnswer => {
  const { config, model } = resolved
  const { thinkingBudget: _budget, thinkingLevel: _level, ...rest } = fieldsOf(config.thinkingConfig)
  const answer = (field: object): ResolvedConfig => ({
    model,
    config: { ...config, thinkingConfig: { ...rest, ...field } }
  })
  if (isGemini3(model)) return gemini3(model, wish, answer)
  if (isGemini2(model) && model.startsWith("gemini-2.5")) return gemini25(model, wish, answer)
  const { thinkingConfig: _, ...plain } = config
  return { resolved: { model, config: plain }, notice: `${model} does not think in steps that can be set` }
}

type Answer = (field: object) => ResolvedConfig

const gemini25 = (model: string, wish: ThinkingWish, answer: Answer): ThinkingAnswer => {
  const isPro = model.includes("pro")
  const wanted = typeof wish === "number" ? wish : BUDGETS[wish]
  const most = isPro ? PRO.most : MOST
  const budget = Math.min(most, isPro ? Math.max(PRO.least, wanted) : wanted)
  const resolved = answer({ thinkingBudget: budget })
  return budget === wanted
    ? { resolved }
    : { resolved, notice: `${model} thinks with ${isPro ? PRO.least : 0} to ${most} tokens; it gets ${budget}` }
}

const gemini3 = (model: string, wish: ThinkingWish, answer: Answer): ThinkingAnswer => {
  const level = levelOf(wish)
  const isFlash = model.includes("flash")
  const possible = isFlash
    ? ["MINIMAL", "LOW", "MEDIUM", "HIGH"]
    : model.includes("3.1")
      ? ["LOW", "MEDIUM", "HIGH"]
      : ["LOW", "HIGH"]
  const given = possible.includes(level) ? level : level === "MINIMAL" ? "LOW" : "HIGH"
  const resolved = answer({ thinkingLevel: given })
  const isOff = wish === "off" || wish === 0
  return given === level && !isOff
    ? { resolved }
    : {
        resolved,
        notice: `${model} has the levels ${possible.join(", ").toLowerCase()} of thinking; it gets ${given.toLowerCase()}`
      }
}

const levelOf = (wish: ThinkingWish): "MINIMAL" | "LOW" | "MEDIUM" | "HIGH" => {
  if (wish === "off" || wish === 0) return "MINIMAL"
  if (typeof wish !== "number") return ({ low: "LOW", medium: "MEDIUM", high: "HIGH" } as const)[wish]
  if (wish <= BUDGETS.low) return "LOW"
  return wish <= BUDGETS.medium ? "MEDIUM" : "HIGH"
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (Predicate.isReadonlyRecord(value) ? value : {})
