/** What a run does when a model is given up: `--on-quota` says it, or the person who is there does. Loaded only then. */
import { Effect, Layer } from "effect"
import { serviceOf } from "../../kernel/layers.ts"
import { Policy } from "../../policy/policy.ts"
import { ModelAccess } from "../model-access.ts"
import { ModelClient } from "../model-client.ts"
import { isAutoModel } from "../model-names.ts"
import { SelectedModel } from "../selected-model.ts"
import { FallbackQuestions } from "./fallback-questions.ts"
import type { OnQuota } from "./give-up.ts"
import { withFallback } from "./with-fallback.ts"

export interface QuotaFacts {
  /** `--on-quota`. */
  readonly onQuota: { readonly action: "fail" | "wait" | "fallback"; readonly model?: string | undefined }
  /** Asks what to do about a model that was given up; absent where that cannot or need not be asked. */
  readonly fallback: Layer.Layer<FallbackQuestions> | undefined
  /** When the run's time is up, in milliseconds of the clock. */
  readonly deadline: number | undefined
  /** Little is said about what goes wrong. */
  readonly isQuiet: boolean
}

export const quotaAnswer = Effect.fnUntraced(function* (client: ModelClient["Type"], facts: QuotaFacts) {
  const onQuota = yield* answerOf(facts)
  if (onQuota === undefined) return client
  const { names } = yield* ModelAccess
  const selected = yield* SelectedModel
  const { mode } = yield* Policy
  // While planning nothing is asked.
  const chainOf = (asked: string) =>
    Effect.zipWith(selected.get, mode, (wanted, current) =>
      names.chainOf({ model: asked, isAuto: isAutoModel(wanted), isPlanMode: current === "plan" })
    )
  return yield* serviceOf(
    ModelClient,
    withFallback(Layer.succeed(ModelClient, client), { onQuota, chainOf, deadline: facts.deadline })
  )
})

const answerOf = Effect.fnUntraced(function* ({ fallback, isQuiet, onQuota: { action, model } }: QuotaFacts) {
  const { names } = yield* ModelAccess
  if (action === "wait") return { action } satisfies OnQuota as OnQuota
  if (action === "fallback") return { action, model: model === undefined ? undefined : names.resolve(model) }
  if (fallback === undefined) return undefined
  const selected = yield* SelectedModel
  const { ask } = yield* serviceOf(FallbackQuestions, fallback)
  return { action: "ask", asking: { ask, select: selected.set, isQuiet } } satisfies OnQuota as OnQuota
})
