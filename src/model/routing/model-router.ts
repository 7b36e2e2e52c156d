/**
 * Which model answers a prompt: strategies are asked in a fixed order, and the first that has an opinion decides. One
 * that fails is noted and passed over, so that routing never fails a run. The decision holds for the whole prompt.
 */
import { Context, Effect, Either } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import type { Content, Part } from "../../protocol/content.ts"
import type { ApprovalMode } from "../../protocol/modes.ts"
import { ModelAvailability } from "../../retry/availability/model-availability.ts"
import type { ModelError } from "../../retry/model-error.ts"
import type { ModelClient } from "../model-client.ts"
import { isAutoModel } from "../model-names.ts"
import { SelectedModel } from "../selected-model.ts"
import type { ModelNames } from "../session-names.ts"
import type { UtilityError } from "../utility-call.ts"
import type { UtilityModels } from "../utility-models.ts"
import type { GemmaServer } from "./gemma-classifier.ts"

export class ModelRouter extends Context.Tag("agent/model/ModelRouter")<
  ModelRouter,
  {
    /** Begins a turn of the user: models that get one request in each may be asked again. */
    readonly route: (question: RoutingQuestion) => Effect.Effect<RoutingDecision>
  }
>() {}

export interface RouterOptions extends RoutingFacts {
  /** `false`: nobody is asked how hard a prompt is. */
  readonly classifies: boolean
  /** A server on this machine that is asked first. */
  readonly gemma?: GemmaServer | undefined
  readonly approvalMode: Effect.Effect<ApprovalMode>
  readonly hasApprovedPlan: Effect.Effect<boolean>
}

/** The strategies that need nobody's opinion: they follow from the configuration, the mode and what is available. */
type PureStrategy = (context: RoutingContext) => ModelChoice | undefined

/** A model that is known to fail is not asked again as long as another one of its chain can be. */
export const fallback: PureStrategy = (context) => {
  const wanted = context.names.resolve(context.configured)
  if (context.isAvailable(wanted)) return undefined
  const chain = context.names.chainOf({
    model: wanted,
    isAuto: isAutoModel(context.configured),
    isPlanMode: context.approvalMode === "plan"
  })
  const other = chain.find(({ model }) => model !== wanted && context.isAvailable(model))
  return other === undefined
    ? undefined
    : { model: other.model, reasoning: `${wanted} is not available; ${other.model} stands in` }
}

/** A model that the user named is the user's choice. */
export const override: PureStrategy = ({ configured, names }) =>
  isAutoModel(configured)
    ? undefined
    : { model: names.resolve(configured), reasoning: `the model was named: ${configured}` }

export const approvalMode: PureStrategy = ({ approvalMode, configured, hasApprovedPlan, names, routesPlans }) => {
  if (!routesPlans || !isAutoModel(configured)) return undefined
  if (approvalMode === "plan") {
    return { model: names.ofTier("pro", configured), reasoning: "plan mode: plans are made by the pro model" }
  }
  return hasApprovedPlan
    ? {
        model: names.ofTier("flash", configured),
        reasoning: "an approved plan is carried out by the flash model"
      }
    : undefined
}

export const byDefault = ({ configured, names }: RoutingContext): ModelChoice => ({
  model: names.resolve(configured),
  reasoning: `nothing else decided; ${configured} stands for this model`
})

export const make = (options: RouterOptions) =>
  Effect.gen(function* () {
    const availability = yield* ModelAvailability
    const selected = yield* SelectedModel
    const services = yield* Effect.context<ModelClient | UtilityModels>()

    const contextOf = Effect.fnUntraced(function* (question: RoutingQuestion) {
      return {
        ...options,
        ...question,
        configured: yield* selected.get,
        approvalMode: yield* options.approvalMode,
        hasApprovedPlan: yield* options.hasApprovedPlan,
        isAvailable: yield* availability.snapshot
      } satisfies RoutingContext
    })

    const route = Effect.fn("ModelRouter.route")(function* (question: RoutingQuestion) {
      const start = yield* monotonicMillis
      yield* availability.resetTurn
      const context = yield* contextOf(question)
      const { choice, failures, name } = yield* decide(context, options).pipe(Effect.provide(services))
      const decision: RoutingDecision = {
        ...choice,
        source: `agent-router/${name}`,
        latencyMs: Math.round((yield* monotonicMillis) - start),
        ...(failures.length === 0 ? {} : { error: failures.join("; ") })
      }
      return decision
    })
    return ModelRouter.of({ route })
  })

interface Decided {
  readonly name: string
  readonly choice: ModelChoice
  readonly failures: ReadonlyArray<string>
}

const FIRST: ReadonlyArray<readonly [string, PureStrategy]> = [
  ["fallback", fallback],
  ["override", override],
  ["approval-mode", approvalMode]
]

type AskingStrategy = readonly [
  name: string,
  asked: Effect.Effect<ModelChoice | undefined, ModelError | UtilityError, ModelClient | UtilityModels>
]

const decide = Effect.fnUntraced(function* (
  context: RoutingContext,
  { classifies, gemma }: Pick<RouterOptions, "classifies" | "gemma">
) {
  for (const [name, strategy] of FIRST) {
    const choice = strategy(context)
    if (choice !== undefined) return { name, choice, failures: [] } satisfies Decided
  }
  const failures: Array<string> = []
  if (classifies && isAutoModel(context.configured)) {
    const { classifier, numericalClassifier } = yield* lazy(() => import("./classifiers.ts"))
    const strategies: ReadonlyArray<AskingStrategy> = [
      ...(gemma === undefined ? [] : [["gemma-classifier", askGemma(context, gemma)] as const]),
      ["classifier", classifier(context)],
      ["numerical_classifier", numericalClassifier(context)]
    ]
    for (const [name, asked] of strategies) {
      const answer = yield* Effect.either(asked)
      if (Either.isLeft(answer)) failures.push(`${name}: ${answer.left.message}`)
      else if (answer.right !== undefined) return { name, choice: answer.right, failures } satisfies Decided
    }
  }
  return { name: "default", choice: byDefault(context), failures } satisfies Decided
})

const askGemma = Effect.fnUntraced(function* (context: RoutingContext, server: GemmaServer) {
  const { gemmaClassifier } = yield* lazy(() => import("./gemma-classifier.ts"))
  return yield* gemmaClassifier(context, server)
})

/**
 * What routing is asked, and what it answers. The strategies are in files of their own; the router tries them in turn.
 * What does not change during a session.
 */
export interface RoutingFacts {
  readonly names: ModelNames
  /** Plans are made by the strong model and carried out by the quick one (`general.plan.modelRouting`). */
  readonly routesPlans: boolean
  /** Complexity from which the strong model answers; `undefined`: the choice is a word, not a number. */
  readonly threshold: { readonly value: number; readonly source: "Default" | "Remote" } | undefined
}

/** One prompt that wants a model. */
export interface RoutingQuestion {
  /** The conversation before it. */
  readonly history: ReadonlyArray<Content>
  /** The prompt itself, or the tool results that continue one. */
  readonly request: ReadonlyArray<Part>
}

export interface RoutingContext extends RoutingQuestion, RoutingFacts {
  /** As the person named it: an id or an alias. */
  readonly configured: string
  readonly approvalMode: ApprovalMode
  readonly hasApprovedPlan: boolean
  readonly isAvailable: (model: string) => boolean
}

export interface ModelChoice {
  readonly model: string
  readonly reasoning: string
}

export interface RoutingDecision extends ModelChoice {
  /** `agent-router/<strategy>`. */
  readonly source: string
  readonly latencyMs: number
  /** Strategies that failed on the way, with their reasons. */
  readonly error?: string
}
