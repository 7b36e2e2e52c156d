/** The strategies that need nobody's opinion: they follow from the configuration, the mode and what is available. */
import { isAutoModel } from "../model-names.ts"
import type { Choice, RoutingContext } from "./routing.ts"

export type PureStrategy = (context: RoutingContext) => Choice | undefined

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

export const byDefault = ({ configured, names }: RoutingContext): Choice => ({
  model: names.resolve(configured),
  reasoning: `nothing else decided; ${configured} stands for this model`
})
