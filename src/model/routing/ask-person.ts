/**
 * What a conversation does when a model is given up: what passes by itself is passed over with the next model of the
 * chain, everything else is put to the person. Requests beside the conversation never interrupt it with a question.
 */
import { Duration, Effect } from "effect"
import type { CreditOffer } from "../../auth/google/paid-credits.ts"
import { decideFallback, failureKindOf } from "../../retry/availability/fallback.ts"
import type { ModelAvailability } from "../../retry/availability/model-availability.ts"
import type { ModelError } from "../../retry/model-error.ts"
import { count, log, type Signal } from "../../telemetry/signal.ts"
import type { Asking, FallbackAnswer } from "./fallback-questions.ts"
import { type Attempt, mayMoveOn, moveOn, type NextAttempt, onceMore, standIn } from "./give-up.ts"

/** A server that names no time gets a moment before it is asked once more. */
const PAUSE = Duration.seconds(1)

export const askPerson = Effect.fnUntraced(function* (
  error: ModelError,
  attempt: Attempt,
  { ask, credits, isQuiet, select }: Asking,
  availability: ModelAvailability["Type"]
) {
  const { chain, request } = attempt
  if (!mayMoveOn(error) && error.kind !== "not-found") return yield* error
  if (request.role.startsWith("utility_")) return yield* moveOn(error, attempt, availability)
  const failed = request.model
  const kind = failureKindOf(error)
  const decision = decideFallback({ chain, failed, active: failed, kind, isAvailable: yield* availability.snapshot })
  const isSilent = decision._tag === "Switch" && decision.action === "silent"
  const offer =
    kind === "terminal" && !isSilent && credits !== undefined ? yield* credits.offer(plainName(failed)) : undefined
  if (decision._tag === "None" && offer === undefined) return yield* error
  const other = decision._tag === "Switch" && !attempt.failed.includes(decision.model) ? decision : undefined
  const passes = kind === "transient" && isQuiet
  if (other !== undefined && (other.action === "silent" || passes)) return yield* moveOn(error, attempt, availability)
  if (offer !== undefined) yield* told(credits, menuShown(failed, offer, credits?.strategy() ?? "ask"))
  const answer = yield* ask({ failed, other: other?.model, error, credits: offer })
  if (offer !== undefined) yield* told(credits, chosenThere(failed, offer, answer))
  switch (answer) {
    case "stop":
      return yield* error
    case "page":
      yield* credits?.openPage(offer?.isEnough === true ? "activity" : "credits") ?? Effect.void
      return yield* error
    case "pay":
      yield* credits?.agree ?? Effect.void
      return onceMore(error, attempt, 0)
    case "again":
      return again(error, attempt)
    case "switch": {
      if (other === undefined) return again(error, attempt)
      yield* select(other.model)
      const policy = chain.find(({ model }) => model === failed)
      // The turns that are left of this prompt would ask for it again.
      if (policy !== undefined) yield* availability.failed(policy, "terminal")
      return standIn(other.model, error, attempt)
    }
  }
})

const plainName = (model: string): string => model.replace(/^models\//, "")

const told = (credits: Asking["credits"], signals: ReadonlyArray<Signal>) => credits?.tell(signals) ?? Effect.void

const menuShown = (model: string, { balance, isEnough }: CreditOffer, strategy: string): ReadonlyArray<Signal> => [
  isEnough
    ? log("gemini_cli.overage_menu_shown", "Credits were offered.", {
        model,
        credit_balance: balance,
        overage_strategy: strategy
      })
    : log("gemini_cli.empty_wallet_menu_shown", "There are too few credits.", { model })
]

/** By the names that the reference has for what was chosen. */
const CHOSEN = {
  pay: "use_credits",
  switch: "use_fallback",
  again: "use_fallback",
  page: "manage",
  stop: "stop"
} as const

const chosenThere = (
  model: string,
  { balance, isEnough }: CreditOffer,
  answer: FallbackAnswer
): ReadonlyArray<Signal> => {
  const option = isEnough || answer !== "page" ? CHOSEN[answer] : "get_credits"
  const source = isEnough ? "manage" : "empty_wallet_menu"
  return [
    log("gemini_cli.overage_option_selected", "What to do about a used up quota was chosen.", {
      model,
      selected_option: option,
      credit_balance: balance
    }),
    ...count("gemini_cli.overage_option.count", { selected_option: option, model }),
    ...(answer === "page"
      ? [
          log("gemini_cli.credit_purchase_click", "The page of credits was opened.", { source, model }),
          ...count("gemini_cli.credit_purchase.count", { source, model })
        ]
      : [])
  ]
}

const again = (error: ModelError, attempt: Attempt): NextAttempt =>
  onceMore(error, attempt, Duration.toMillis(error.retryAfter ?? PAUSE))
