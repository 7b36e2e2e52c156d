import { expect } from "bun:test"
import { Effect, TestClock } from "effect"
import { itWith } from "../../../test/kit/it.ts"
import { layer, ModelAvailability } from "./model-availability.ts"
import { chainFor, type ModelPolicy } from "./policy-chain.ts"

const it = itWith(layer)

const models = {
  previewPro: "gemini-3.1-pro-preview",
  previewFlash: "gemini-3-flash-preview",
  defaultPro: "gemini-2.5-pro",
  defaultFlash: "gemini-3.5-flash",
  flashLite: "gemini-3.1-flash-lite"
}
const [pro, flash] = chainFor({ model: "gemini-3.1-pro-preview", isAuto: true, isPlanMode: false, models }) as [
  ModelPolicy,
  ModelPolicy
]
const chain = [pro, flash]

const selected = Effect.flatMap(ModelAvailability, (service) => Effect.map(service.select(chain), ({ model }) => model))
const report = (policy: ModelPolicy, kind: "terminal" | "transient" | "not_found" | "unknown") =>
  Effect.flatMap(ModelAvailability, (service) => service.failed(policy, kind))

it.effect("a healthy chain gives its first member, with the attempts of its policy", () =>
  Effect.gen(function* () {
    const service = yield* ModelAvailability
    expect(yield* service.select(chain)).toEqual({ model: pro.model, maxAttempts: 3 })
  })
)

it.effect("a used up quota lasts for the session", () =>
  Effect.gen(function* () {
    yield* report(pro, "terminal")
    expect(yield* selected).toBe(flash.model)
    yield* TestClock.adjust("10 hours")
    yield* Effect.flatMap(ModelAvailability, (service) => service.resetTurn)
    expect(yield* selected).toBe(flash.model)
  })
)

it.effect("a shortage of capacity is forgotten after 30 seconds", () =>
  Effect.gen(function* () {
    yield* report(pro, "unknown")
    expect(yield* selected).toBe(flash.model)
    yield* TestClock.adjust("29 seconds")
    expect(yield* selected).toBe(flash.model)
    yield* TestClock.adjust("1 second")
    expect(yield* selected).toBe(pro.model)
  })
)

it.effect("after a passing limit the model gets one more request in each turn", () =>
  Effect.gen(function* () {
    const service = yield* ModelAvailability
    yield* report(pro, "transient")
    expect(yield* service.select(chain)).toEqual({ model: pro.model, maxAttempts: 3 })
    expect(yield* selected).toBe(flash.model)
    // Failing again changes nothing in this turn.
    yield* report(pro, "transient")
    expect(yield* selected).toBe(flash.model)
    yield* service.resetTurn
    expect(yield* selected).toBe(pro.model)
  })
)

it.effect("a passing limit does not soften a final one", () =>
  Effect.gen(function* () {
    yield* report(pro, "terminal")
    yield* report(pro, "transient")
    yield* Effect.flatMap(ModelAvailability, (service) => service.resetTurn)
    expect(yield* selected).toBe(flash.model)
  })
)

it.effect("an answer makes a model healthy, a reset all of them", () =>
  Effect.gen(function* () {
    const service = yield* ModelAvailability
    yield* report(pro, "transient")
    yield* selected
    yield* service.answered(pro.model)
    expect(yield* selected).toBe(pro.model)
    yield* report(pro, "terminal")
    yield* report(flash, "terminal")
    const isAvailable = yield* service.snapshot
    expect([isAvailable(pro.model), isAvailable(flash.model), isAvailable("other")]).toEqual([false, false, true])
    yield* service.reset
    expect(yield* selected).toBe(pro.model)
  })
)

it.effect("when nothing is available the last resort is taken, and where there is none the oldest pro model", () =>
  Effect.gen(function* () {
    const service = yield* ModelAvailability
    yield* report(pro, "terminal")
    yield* report(flash, "terminal")
    expect(yield* selected).toBe(flash.model)
    expect((yield* service.select([pro])).model).toBe("gemini-2.5-pro")
  })
)
