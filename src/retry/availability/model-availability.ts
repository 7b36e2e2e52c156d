/**
 * Which models can be asked at the moment: in memory, for one session. Failures and answers are reported to it; routing
 * and fallback ask it before they choose.
 */

import { Clock, Context, Effect, Ref } from "effect"
import { service } from "../../kernel/layers.ts"
import {
  allHealthy,
  attemptsLeft,
  consume,
  type HealthByModel,
  isAvailable,
  markHealthy,
  markSticky,
  markTerminal,
  resetTurn
} from "./model-health.ts"
import type { FailureKind, ModelPolicy, PolicyChain } from "./policy-chain.ts"

export class ModelAvailability extends Context.Tag("agent/retry/ModelAvailability")<
  ModelAvailability,
  {
    /** As of now; the answer for one model does not change behind the caller's back. */
    readonly snapshot: Effect.Effect<(model: string) => boolean>
    /** The first available member, else the last resort. Uses up the one request of a model that failed before. */
    readonly select: (chain: PolicyChain) => Effect.Effect<Selection>
    readonly failed: (policy: ModelPolicy, kind: FailureKind) => Effect.Effect<void>
    readonly answered: (model: string) => Effect.Effect<void>
    /** A new turn of the user. */
    readonly resetTurn: Effect.Effect<void>
    /** Another model was chosen, or other credentials: nothing that was learnt still holds. */
    readonly reset: Effect.Effect<void>
  }
>() {}

export interface Selection {
  readonly model: string
  /** Attempts for the request, where health or policy limits them. */
  readonly maxAttempts: number | undefined
}

/** Stands where a chain names no last resort. */
const FALLBACK_OF_ALL = "gemini-2.5-pro"

export const make = Effect.gen(function* () {
  const health = yield* Ref.make<HealthByModel>(allHealthy)

  return ModelAvailability.of({
    snapshot: Effect.zipWith(
      Ref.get(health),
      Clock.currentTimeMillis,
      (states, now) => (model: string) => isAvailable(states, model, now)
    ),
    select: Effect.fnUntraced(function* (chain: PolicyChain) {
      const now = yield* Clock.currentTimeMillis
      return yield* Ref.modify(health, (states) => {
        const chosen =
          chain.find(({ model }) => isAvailable(states, model, now)) ?? chain.find(({ isLastResort }) => isLastResort)
        const model = chosen?.model ?? FALLBACK_OF_ALL
        return [{ model, maxAttempts: attemptsLeft(states, model) ?? chosen?.maxAttempts }, consume(states, model)]
      })
    }),
    failed: Effect.fnUntraced(function* (policy: ModelPolicy, kind: FailureKind) {
      const now = yield* Clock.currentTimeMillis
      yield* Ref.update(health, (states) =>
        policy.transitions[kind] === "sticky_retry"
          ? markSticky(states, policy.model, { attempts: policy.maxAttempts ?? 1, now })
          : markTerminal(states, policy.model, { reason: kind === "terminal" ? "quota" : "capacity", now })
      )
    }),
    answered: (model) => Ref.update(health, (states) => markHealthy(states, model)),
    resetTurn: Ref.update(health, resetTurn),
    reset: Ref.set(health, allHealthy)
  })
})

export const layer = service(ModelAvailability, make)
