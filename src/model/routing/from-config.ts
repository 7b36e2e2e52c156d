/** Which model answers a prompt, from the configuration. */
import { Effect } from "effect"
import type { RemoteFlags } from "../../auth/google/experiments.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { service } from "../../kernel/layers.ts"
import { PlanMode } from "../../policy/plan-mode.ts"
import type { RunFacts } from "../../protocol/run-facts.ts"
import { ModelAccess } from "../model-access.ts"
import type { RoutingFacts } from "./model-router.ts"
import * as ModelRouter from "./model-router.ts"

/** Complexity, from 1 to 100, at which the pro model answers. */
const PRO_THRESHOLD = 90

type RouterFacts = Pick<RunFacts, "isBare" | "isDemo">

export const layer = (config: LoadedConfig, run: RouterFacts) =>
  service(ModelRouter.ModelRouter, makeRouter(config, run))

export const makeRouter = Effect.fnUntraced(function* (config: LoadedConfig, { isBare, isDemo }: RouterFacts) {
  const { approvedPlan, mode } = yield* PlanMode
  const { access, flags, names } = yield* ModelAccess
  return yield* ModelRouter.make({
    names,
    routesPlans: config.settings.get("general.plan.modelRouting"),
    threshold: thresholdOf(flags),
    // A recorded demo has its answers, and nobody else's opinion. Between one model and itself nothing is to be chosen.
    classifies: config.settings.get("run.classifyPrompts") && !isBare && !isDemo && !access.noPro,
    gemma: gemmaOf(config),
    approvalMode: mode,
    hasApprovedPlan: Effect.map(approvedPlan, (path) => path !== null)
  })
})

/** `undefined`: the choice is a word. */
export const thresholdOf = ({ numericalRouting, routingThreshold }: RemoteFlags): RoutingFacts["threshold"] => {
  if (numericalRouting === false) return undefined
  return routingThreshold === undefined || routingThreshold > 100
    ? { value: PRO_THRESHOLD, source: "Default" }
    : { value: routingThreshold, source: "Remote" }
}

const gemmaOf = ({ settings }: LoadedConfig) =>
  settings.get("experimental.gemmaModelRouter.enabled")
    ? {
        host: settings.get("experimental.gemmaModelRouter.classifier.host"),
        model: settings.get("experimental.gemmaModelRouter.classifier.model")
      }
    : undefined
