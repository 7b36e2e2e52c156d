/**
 * The limits of a run in tool calls, tokens and dollars. The loop asks before it begins something; events tell what it
 * took. Time is not kept here: it ends the run from outside, whatever the run is doing.
 */
import { Context, Effect, Ref } from "effect"
import { costOf, type PriceOf } from "../../model/pricing.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { LimitReached, UnpricedModel } from "../chat-error.ts"

export class RunBudget extends Context.Tag("agent/chat/RunBudget")<
  RunBudget,
  {
    /** Before each request to this model: nothing is sent once the calls, the tokens or the money are used up. */
    readonly check: (model: string) => Effect.Effect<void, LimitReached | UnpricedModel>
    /** One more request of the session, those of sub-agents included: how many it has been. */
    readonly countTurn: Effect.Effect<number>
    /** How many of these calls may run; where it is not all of them, the next check fails. */
    readonly takeCalls: (wanted: number) => Effect.Effect<number>
    /** Counts what the event tells of, and completes it with its cost. */
    readonly complete: (event: ProtocolEvent) => Effect.Effect<ProtocolEvent>
  }
>() {}

interface Limit {
  readonly value: number
  /** The flag, variable or setting that set it. */
  readonly source: string
}

export interface BudgetLimits {
  readonly maxToolCalls?: Limit | undefined
  readonly maxTokens?: Limit | undefined
  /** In US dollars. */
  readonly maxCost?: Limit | undefined
}

export const make = (limits: BudgetLimits, priceOf: PriceOf) =>
  Effect.gen(function* () {
    const turns = yield* Ref.make(0)
    const calls = yield* Ref.make(0)
    const spending = yield* Ref.make(nothingSpent)

    const check = Effect.fnUntraced(function* (model: string) {
      const { costUsd, tokens, unpriced } = yield* Ref.get(spending)
      const { maxCost, maxTokens, maxToolCalls } = limits
      if (maxToolCalls !== undefined && (yield* Ref.get(calls)) > maxToolCalls.value) {
        return yield* reached("tool_calls", maxToolCalls)
      }
      if (maxTokens !== undefined && tokens >= maxTokens.value) return yield* reached("tokens", maxTokens)
      if (maxCost === undefined) return
      if (costUsd >= maxCost.value) return yield* reached("cost", maxCost)
      const unknown = unpriced ?? (priceOf(model) === undefined ? model : undefined)
      if (unknown !== undefined) return yield* new UnpricedModel({ model: unknown, source: maxCost.source })
    })

    return RunBudget.of({
      check,
      countTurn: Ref.updateAndGet(turns, (count) => count + 1),
      takeCalls: (wanted) =>
        Ref.modify(calls, (before) => [
          Math.max(0, Math.min(wanted, (limits.maxToolCalls?.value ?? Number.POSITIVE_INFINITY) - before)),
          before + wanted
        ]),
      complete: (event) => Ref.modify(spending, (before) => spend(before, event, priceOf))
    })
  })

const reached = (kind: LimitReached["limit"], { source, value }: Limit) =>
  new LimitReached({ limit: kind, value: String(value), source })

/** What a run has used so far, folded from its events. Pure. */
interface Spending {
  readonly tokens: number
  readonly costUsd: number
  /** The first model whose price is not known; its requests are missing from the cost. */
  readonly unpriced: string | undefined
  /** The model that answers at the moment. */
  readonly model: string | undefined
}

const nothingSpent: Spending = { tokens: 0, costUsd: 0, unpriced: undefined, model: undefined }

/** The event with its cost, and the sum with the event. */
const spend = (before: Spending, event: ProtocolEvent, priceOf: PriceOf): readonly [ProtocolEvent, Spending] => {
  if (event._tag === "ModelChosen") return [event, { ...before, model: event.model }]
  if ((event._tag !== "RequestFinished" && event._tag !== "RequestFailed") || event.usage === undefined) {
    return [event, before]
  }
  // An answer may name a version that no price list knows; what was asked for is known better.
  const asked = event.role === "main" && before.model !== undefined ? priceOf(before.model) : undefined
  const price = priceOf(event.model) ?? asked
  const tokens = before.tokens + event.usage.totalTokenCount
  if (price === undefined) return [event, { ...before, tokens, unpriced: before.unpriced ?? event.model }]
  // A replay tells what was recorded, its cost too, and ends at the same limits; nobody's account counts it.
  const costUsd = costOf(price, event.usage)
  return [
    { ...event, costUsd },
    { ...before, tokens, costUsd: before.costUsd + costUsd }
  ]
}
