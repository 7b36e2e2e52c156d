/** The strategies that need nobody's opinion: they follow from the configuration, the mode and what is available. */
import { chainFor } from "../../retry/availability/policy-chain.ts"
import { chainModels, isAutoModel, modelOfTier, resolveModel } from "../model-names.ts"
import type { Choice, RoutingContext } from "./routing.ts"

export type PureStrategy = (context: RoutingContext) => Choice | undefined

/** A model that is known to fail is not asked again as long as another one of its chain can be. */
export const fallback: PureStrategy = (context) => {
  const wanted = resolveModel(context.configured, context.authType)
  if (context.isAvailable(wanted)) return undefined
  const chain = chainFor({
    model: wanted,
    isAuto: isAutoModel(context.configured),
    isPlanMode: context.approvalMode === "plan",
    models: chainModels(context.authType)
  })
  const other = chain.find(({ model }) => model !== wanted && context.isAvailable(model))
  return other === undefined
    ? undefined
    : { model: other.model, reasoning: `${wanted} is not available; ${other.model} stands in` }
}

/** A model that the user named is the user's choice. */
export const override: PureStrategy = ({ authType, configured }) =>
  isAutoModel(configured)
    ? undefined
    : { model: resolveModel(configured, authType), reasoning: `the model was named: ${configured}` }

export const approvalMode: PureStrategy = ({ approvalMode, authType, configured, hasApprovedPlan, routesPlans }) => {
  if (!routesPlans || !isAutoModel(configured)) return undefined
  if (approvalMode === "plan") {
    return { model: modelOfTier("pro", configured, authType), reasoning: "plan mode: plans are made by the pro model" }
  }
  return hasApprovedPlan
    ? {
        model: modelOfTier("flash", configured, authType),
        reasoning: "an approved plan is carried out by the flash model"
      }
    : undefined
}

export const byDefault = ({ authType, configured }: RoutingContext): Choice => ({
  model: resolveModel(configured, authType),
  reasoning: `nothing else decided; ${configured} stands for this model`
})
