/** What happens when a model is given up: pure rules over its chain. Who is asked, and what is sent, is decided above. */
import type { ModelError } from "../model-error.ts"
import type { FailureKind, FallbackAction, ModelPolicy, PolicyChain } from "./policy-chain.ts"

export const failureKindOf = ({ kind, status }: Pick<ModelError, "kind" | "status">): FailureKind => {
  switch (kind) {
    case "quota":
      return "terminal"
    case "rate-limited":
    case "capacity":
      return "transient"
    case "not-found":
      return "not_found"
    case "unavailable":
      // Overloaded, or given up on by the server itself; other faults of the server are no limit.
      return status === 503 || status === 499 ? "transient" : "unknown"
    default:
      return "unknown"
  }
}

export interface GivenUp {
  /** Beginning with the model that was asked for. */
  readonly chain: PolicyChain
  readonly failed: string
  /** The model of the conversation; another one where a utility request failed. */
  readonly active: string
  readonly kind: FailureKind
  readonly isAvailable: (model: string) => boolean
}

export type FallbackDecision =
  | { readonly _tag: "Switch"; readonly model: string; readonly action: FallbackAction }
  /** Nothing can stand in: the model itself may be tried again, or not. */
  | { readonly _tag: "SameModel"; readonly model: string }
  /** The error surfaces. */
  | { readonly _tag: "None" }

export const decideFallback = (question: GivenUp): FallbackDecision => {
  const { active, chain, failed, isAvailable, kind } = question
  const candidates = chain.slice(chain.findIndex(({ model }) => model === failed) + 1)
  if (candidates.length === 0) {
    return failed !== active && isAvailable(active)
      ? { _tag: "Switch", model: active, action: "silent" }
      : { _tag: "SameModel", model: failed }
  }
  const chosen = candidates.find(({ model }) => isAvailable(model)) ?? candidates.find(isLastResort)
  if (chosen === undefined || chosen.model === failed) return { _tag: "None" }
  const isSilent = chosen.model === active && failed !== active
  return { _tag: "Switch", model: chosen.model, action: isSilent ? "silent" : chosen.actions[kind] }
}

const isLastResort = ({ isLastResort }: ModelPolicy): boolean => isLastResort
