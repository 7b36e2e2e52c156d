/** What a run does when a model is given up: `--on-quota` says it, or the person who is there does. Loaded only then. */
import { Effect, Layer, type Scope } from "effect"
import { serviceOf } from "../kernel/services.ts"
import { ModelClient } from "../model/model-client.ts"
import { isAutoModel } from "../model/model-names.ts"
import { FallbackQuestions } from "../model/routing/fallback-questions.ts"
import type { OnQuota } from "../model/routing/give-up.ts"
import { SelectedModel } from "../model/selected-model.ts"
import type { ModelNames } from "../model/session-names.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import type { ModelAvailability } from "../retry/availability/model-availability.ts"
import type { AppInput, Person } from "./app.ts"

export interface QuotaFacts {
  readonly names: ModelNames
  /** When the run's time is up, in milliseconds of the clock. */
  readonly deadline: number | undefined
  /** The approval mode of the moment: while planning nothing is asked. */
  readonly mode: Effect.Effect<ApprovalMode>
}

type Answered = Effect.Effect<ModelClient["Type"], never, ModelAvailability | SelectedModel | Scope.Scope>

export const quotaAnswer = (client: ModelClient["Type"], input: AppInput, facts: QuotaFacts): Answered => {
  const { action, model: named } = input.plan.onQuota
  const { names } = facts
  if (action !== "fail") {
    return withAnswer(client, { action, model: named === undefined ? undefined : names.resolve(named) }, facts)
  }
  const questions = input.person?.fallback
  return questions === undefined
    ? Effect.succeed(client)
    : Effect.flatMap(askingOf(questions, input), (asking) => withAnswer(client, { action: "ask", asking }, facts))
}

const askingOf = Effect.fnUntraced(function* (
  questions: NonNullable<Person["fallback"]>,
  { config: { settings } }: AppInput
) {
  const selected = yield* SelectedModel
  const { ask } = yield* serviceOf(FallbackQuestions, questions)
  return { ask, select: selected.set, isQuiet: settings.get("ui.errorVerbosity") === "low" }
})

const withAnswer = (client: ModelClient["Type"], onQuota: OnQuota, { deadline, mode, names }: QuotaFacts): Answered =>
  Effect.gen(function* () {
    const selected = yield* SelectedModel
    const { withFallback } = yield* Effect.promise(() => import("../model/routing/with-fallback.ts"))
    const chainOf = (asked: string) =>
      Effect.zipWith(selected.get, mode, (wanted, current) =>
        names.chainOf({ model: asked, isAuto: isAutoModel(wanted), isPlanMode: current === "plan" })
      )
    return yield* serviceOf(
      ModelClient,
      withFallback(Layer.succeed(ModelClient, client), { onQuota, chainOf, deadline })
    )
  })
