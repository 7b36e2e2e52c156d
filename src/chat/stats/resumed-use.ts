/** The statistics of a conversation that goes on begin with what it took before, at the prices of today. */
import { Effect } from "effect"
import type { SettingsView } from "../../config/settings.ts"
import { costOf, priceLookup } from "../../model/pricing.ts"
import type { UseEvent } from "../../session/record/recorded-use.ts"
import { SessionStats } from "./session-stats.ts"

export const resumeStats = Effect.fnUntraced(function* (used: ReadonlyArray<UseEvent>, settings: SettingsView) {
  const stats = yield* SessionStats
  const priceOf = priceLookup(settings.get("run.prices"))
  const priced = (event: UseEvent): UseEvent => {
    const price = event._tag === "RequestFinished" ? priceOf(event.model) : undefined
    return event._tag !== "RequestFinished" || price === undefined
      ? event
      : { ...event, costUsd: costOf(price, event.usage) }
  }
  yield* Effect.forEach(used, (event) => stats.record(priced(event)), { discard: true })
})
