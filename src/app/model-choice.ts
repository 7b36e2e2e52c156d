/** Which model answers, and what it may take: router and budget of a run, from its plan. */
import { Effect, Either, Option } from "effect"
import * as RunBudget from "../chat/limits/run-budget.ts"
import type { LoadedConfig } from "../config/load.ts"
import { priceLookup } from "../model/pricing.ts"
import * as ModelRouter from "../model/routing/model-router.ts"
import { builtInNames, type ModelNames } from "../model/session-names.ts"
import { Stderr } from "../output/stderr.ts"
import type { AuthType } from "../protocol/modes.ts"
import { PlanMode } from "../tools/plan-mode.ts"
import type { AppInput } from "./app.ts"

/** What names of models mean in this run. Tables that cannot be read are named, and the built-in rules hold. */
export const modelNames = (
  { config: { settings } }: AppInput,
  authType: AuthType
): Effect.Effect<ModelNames, never, Stderr> => {
  const builtIn = builtInNames(authType)
  if (!settings.get("experimental.dynamicModelConfiguration")) return Effect.succeed(builtIn)
  return Effect.gen(function* () {
    const stderr = yield* Stderr
    const { namesFrom, tablesIn } = yield* Effect.promise(() => import("../model/model-tables.ts"))
    const tables = Option.getOrElse(tablesIn(settings), () => Either.left([]))
    if (Either.isRight(tables)) return namesFrom(tables.right, authType, builtIn)
    yield* Effect.forEach(tables.left, (fault) => stderr.notice(`[WARNING] ${fault}; the built-in table is used`))
    return builtIn
  })
}

/** Complexity, from 1 to 100, at which the pro model answers. */
export const PRO_THRESHOLD = 90

export const router = ({ config, options, plan }: AppInput, names: ModelNames) =>
  Effect.flatMap(PlanMode, (planMode) =>
    ModelRouter.make({
      names,
      routesPlans: config.settings.get("general.plan.modelRouting"),
      threshold: PRO_THRESHOLD,
      // A recorded demo has its answers, and nobody else's opinion.
      classifies: config.settings.get("run.classifyPrompts") && !plan.bare && !options.demo,
      gemma: gemmaOf(config),
      approvalMode: planMode.mode,
      hasApprovedPlan: Effect.map(planMode.approvedPlan, (path) => path !== null)
    })
  )

const gemmaOf = ({ settings }: LoadedConfig) =>
  settings.get("experimental.gemmaModelRouter.enabled")
    ? {
        host: settings.get("experimental.gemmaModelRouter.classifier.host"),
        model: settings.get("experimental.gemmaModelRouter.classifier.model")
      }
    : undefined

export const budget = ({ config, plan }: AppInput) =>
  RunBudget.make(plan, priceLookup(config.settings.get("run.prices")))
