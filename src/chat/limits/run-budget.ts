/**
 * The limits of a run in tool calls, tokens and dollars. The loop asks before it begins something; events tell what it
 * took. Time is not kept here: it ends the run from outside, whatever the run is doing.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type { PriceOf } from "../../model/pricing.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { LimitReached, UnpricedModel } from "../chat-error.ts"
import { nothingSpent, spend } from "./spending.ts"

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
    readonly record: (event: ProtocolEvent) => Effect.Effect<ProtocolEvent>
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
      record: (event) => Ref.modify(spending, (before) => spend(before, event, priceOf))
    })
  })

export const layer = (limits: BudgetLimits, priceOf: PriceOf) => Layer.effect(RunBudget, make(limits, priceOf))

/** No limits; costs are counted all the same. */
export const layerNone = layer({}, () => undefined)

const reached = (kind: LimitReached["limit"], { source, value }: Limit) =>
  new LimitReached({ limit: kind, value: String(value), source })
