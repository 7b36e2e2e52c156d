/** What a run has used so far, folded from its events. Pure. */
import { costOf, type PriceOf } from "../../model/pricing.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"

export interface Spending {
  readonly tokens: number
  readonly costUsd: number
  /** The first model whose price is not known; its requests are missing from the cost. */
  readonly unpriced: string | undefined
  /** The model that answers at the moment. */
  readonly model: string | undefined
}

export const nothingSpent: Spending = { tokens: 0, costUsd: 0, unpriced: undefined, model: undefined }

/** The event with its cost, and the sum with the event. */
export const spend = (before: Spending, event: ProtocolEvent, priceOf: PriceOf): readonly [ProtocolEvent, Spending] => {
  if (event._tag === "ModelChosen") return [event, { ...before, model: event.model }]
  if (event._tag !== "RequestFinished") return [event, before]
  // An answer may name a version that no price list knows; what was asked for is known better.
  const asked = event.role === "main" && before.model !== undefined ? priceOf(before.model) : undefined
  const price = priceOf(event.model) ?? asked
  const tokens = before.tokens + event.usage.totalTokenCount
  if (price === undefined) return [event, { ...before, tokens, unpriced: before.unpriced ?? event.model }]
  const costUsd = costOf(price, event.usage)
  return [
    { ...event, costUsd },
    { ...before, tokens, costUsd: before.costUsd + costUsd }
  ]
}
