/**
 * What a conversation does when a model is given up: what passes by itself is passed over with the next model of the
 * chain, everything else is put to the person. Requests beside the conversation never interrupt it with a question.
 */
import { Duration, Effect } from "effect"
import { decideFallback, failureKindOf } from "../../retry/availability/fallback.ts"
import type { ModelAvailability } from "../../retry/availability/model-availability.ts"
import type { ModelError } from "../../retry/model-error.ts"
import type { Asking } from "./fallback-questions.ts"
import { type Attempt, mayMoveOn, moveOn, type NextAttempt, onceMore, standIn } from "./give-up.ts"

/** A server that names no time gets a moment before it is asked once more. */
const PAUSE = Duration.seconds(1)

export const askPerson = Effect.fnUntraced(function* (
  error: ModelError,
  attempt: Attempt,
  { ask, isQuiet, select }: Asking,
  availability: ModelAvailability["Type"]
) {
  const { chain, request } = attempt
  if (!mayMoveOn(error) && error.kind !== "not-found") return yield* error
  if (request.role.startsWith("utility_")) return yield* moveOn(error, attempt, availability)
  const failed = request.model
  const kind = failureKindOf(error)
  const decision = decideFallback({ chain, failed, active: failed, kind, isAvailable: yield* availability.snapshot })
  if (decision._tag === "None") return yield* error
  const other = decision._tag === "Switch" && !attempt.failed.includes(decision.model) ? decision : undefined
  const passes = kind === "transient" && isQuiet
  if (other !== undefined && (other.action === "silent" || passes)) return yield* moveOn(error, attempt, availability)
  switch (yield* ask({ failed, other: other?.model, error })) {
    case "stop":
      return yield* error
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

const again = (error: ModelError, attempt: Attempt): NextAttempt =>
  onceMore(error, attempt, Duration.toMillis(error.retryAfter ?? PAUSE))
