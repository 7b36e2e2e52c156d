/**
 * The two strategies that ask a small model how hard a prompt is. Loaded only where the choice was left to the program:
 * a run with a named model never pays for them.
 */
import { Effect, Schema } from "effect"
import { isGemini3 } from "../model-names.ts"
import { askJson } from "../utility-call.ts"
import { numericalPrompt, wordPrompt } from "./classifier-prompts.ts"
import { stepsAround, wordsAround } from "./recent-entries.ts"
import type { Choice, RoutingContext } from "./routing.ts"

/** Answers "flash" or "pro". For models before Gemini 3, or where no threshold is set. */
export const classifier = Effect.fn("Routing.classifier")(function* (context: RoutingContext) {
  if (usesNumbers(context) || isContinuation(context)) return undefined
  const { model_choice, reasoning } = yield* askJson({
    ...QUESTION,
    system: wordPrompt,
    contents: wordsAround(context.history, context.request),
    schema: WordAnswer,
    jsonSchema: WORD_SHAPE
  })
  return ifAvailable(context, model_choice, reasoning)
})

/** Answers with a number from 1 to 100. */
export const numericalClassifier = Effect.fn("Routing.numericalClassifier")(function* (context: RoutingContext) {
  const { threshold } = context
  if (threshold === undefined || !usesNumbers(context)) return undefined
  const { complexity_reasoning, complexity_score } = yield* askJson({
    ...QUESTION,
    system: numericalPrompt,
    contents: stepsAround(context.history, context.request),
    schema: NumericalAnswer,
    jsonSchema: NUMERICAL_SHAPE
  })
  const tier = complexity_score >= threshold.value ? "pro" : "flash"
  return ifAvailable(
    context,
    tier,
    `complexity ${complexity_score}, threshold ${threshold.value} (${threshold.source}): ${complexity_reasoning}`
  )
})

/** A decision that comes late is worth less than none: it is asked for once, and then the next strategy decides. */
const QUESTION = { alias: "classifier", role: "utility_router", attempts: 1, timeout: "10 seconds" } as const

export const WordAnswer = Schema.Struct({ reasoning: Schema.String, model_choice: Schema.Literal("flash", "pro") })
const WORD_SHAPE = {
  type: "object",
  properties: {
    reasoning: { type: "string", description: "Which of the rules decided, in one sentence." },
    model_choice: { type: "string", enum: ["flash", "pro"] }
  },
  required: ["reasoning", "model_choice"]
}

const NumericalAnswer = Schema.Struct({
  complexity_reasoning: Schema.String,
  complexity_score: Schema.Number.pipe(Schema.between(1, 100))
})
const NUMERICAL_SHAPE = {
  type: "object",
  properties: {
    complexity_reasoning: { type: "string", description: "Why this score, in one sentence." },
    complexity_score: { type: "integer", minimum: 1, maximum: 100 }
  },
  required: ["complexity_reasoning", "complexity_score"]
}

const usesNumbers = ({ configured, names, threshold }: RoutingContext): boolean =>
  threshold !== undefined && isGemini3(names.resolve(configured))

export const isContinuation = ({ request }: RoutingContext): boolean =>
  request.some((part) => part.functionResponse !== undefined)

export const ifAvailable = (context: RoutingContext, tier: "pro" | "flash", reasoning: string): Choice | undefined => {
  const model = context.names.ofTier(tier, context.configured)
  return context.isAvailable(model) ? { model, reasoning } : undefined
}
