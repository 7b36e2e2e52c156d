import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { runBudget } from "../../../test/kit/chat-room.ts"
import { it } from "../../../test/kit/it.ts"
import { priceLookup } from "../../model/pricing.ts"
import type { EventOf } from "../../protocol/event.ts"
import { NO_USAGE } from "../../protocol/usage.ts"
import { type BudgetLimits, RunBudget } from "./run-budget.ts"

const limit = (value: number) => ({ value, source: "--test" })

const within = <A, E>(limits: BudgetLimits, use: (budget: RunBudget["Type"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(RunBudget, use).pipe(
    Effect.provide(runBudget(limits, priceLookup({ priced: { input: 1, output: 1 } }))),
    Effect.either
  )

const finished = (
  model: string,
  tokens: number,
  role: EventOf<"RequestFinished">["role"] = "main"
): EventOf<"RequestFinished"> => ({
  _tag: "RequestFinished",
  model,
  role,
  durationMs: 1,
  usage: { ...NO_USAGE, promptTokenCount: tokens, totalTokenCount: tokens }
})

describe("tool calls", () => {
  it.effect("exactly the allowed number runs; the first that does not fit is the end", () =>
    Effect.gen(function* () {
      const result = yield* within({ maxToolCalls: limit(3) }, (budget) =>
        Effect.all([
          budget.takeCalls(2),
          Effect.either(budget.check("m")),
          budget.takeCalls(2),
          Effect.either(budget.check("m")),
          budget.takeCalls(1)
        ])
      )
      expect(result).toMatchObject({
        right: [2, { _tag: "Right" }, 1, { left: { limit: "tool_calls", value: "3" } }, 0]
      })
    })
  )
  it.effect("without a limit all of them run", () =>
    Effect.gen(function* () {
      expect(yield* within({}, (budget) => budget.takeCalls(500))).toMatchObject({ right: 500 })
    })
  )
})

describe("tokens", () => {
  it.effect("requests of every role count", () =>
    Effect.gen(function* () {
      const result = yield* within({ maxTokens: limit(100) }, (budget) =>
        Effect.gen(function* () {
          yield* budget.complete(finished("m", 60))
          yield* budget.check("m")
          yield* budget.complete(finished("m", 40, "utility_compressor"))
          yield* budget.check("m")
        })
      )
      expect(result).toMatchObject({ left: { _tag: "LimitReached", limit: "tokens", value: "100" } })
    })
  )
})

describe("cost", () => {
  it.effect("is added to the event and to the sum", () =>
    Effect.gen(function* () {
      const result = yield* within({ maxCost: limit(1.5) }, (budget) =>
        Effect.gen(function* () {
          const first = yield* budget.complete(finished("priced", 1_000_000))
          yield* budget.check("priced")
          yield* budget.complete(finished("priced", 1_000_000))
          const end = yield* Effect.either(budget.check("priced"))
          return { first, end }
        })
      )
      expect(result).toMatchObject({ right: { first: { costUsd: 1 }, end: { left: { limit: "cost", value: "1.5" } } } })
    })
  )
  it.effect("a limit that cannot be kept ends the run before anything is sent", () =>
    Effect.gen(function* () {
      const result = yield* within({ maxCost: limit(1) }, (budget) => budget.check("unheard-of"))
      expect(result).toMatchObject({ left: { _tag: "UnpricedModel", model: "unheard-of" } })
    })
  )
  it.effect("a utility model without a price ends it too", () =>
    Effect.gen(function* () {
      const result = yield* within({ maxCost: limit(1) }, (budget) =>
        Effect.zipRight(budget.complete(finished("unheard-of", 10, "utility_tool")), budget.check("priced"))
      )
      expect(result).toMatchObject({ left: { _tag: "UnpricedModel", model: "unheard-of" } })
    })
  )
  it.effect("an answer that names an unknown version costs what the chosen model costs", () =>
    Effect.gen(function* () {
      const result = yield* within({}, (budget) =>
        Effect.zipRight(
          budget.complete({ _tag: "ModelChosen", model: "priced" }),
          budget.complete(finished("version-x", 1_000_000))
        )
      )
      expect(result).toMatchObject({ right: { costUsd: 1 } })
    })
  )
  it.effect("without a limit an unknown price is no failure", () =>
    Effect.gen(function* () {
      const result = yield* within({}, (budget) =>
        Effect.zipRight(budget.complete(finished("unheard-of", 10)), budget.check("unheard-of"))
      )
      expect(result._tag).toBe("Right")
    })
  )
})
