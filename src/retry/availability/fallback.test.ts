import { describe, expect, test } from "bun:test"
import type { ModelErrorKind } from "../model-error.ts"
import { decideFallback, failureKindOf, type GivenUp } from "./fallback.ts"
import { type ChainModels, chainFor } from "./policy-chain.ts"

const models: ChainModels = {
  previewPro: "gemini-3.1-pro-preview",
  previewFlash: "gemini-3-flash-preview",
  defaultPro: "gemini-2.5-pro",
  defaultFlash: "gemini-3.5-flash",
  flashLite: "gemini-3.1-flash-lite"
}
const chain = (model: string, isAuto = false) => chainFor({ model, isAuto, isPlanMode: false, models })

const decide = (given: Partial<GivenUp> & Pick<GivenUp, "chain" | "failed">, unavailable: ReadonlyArray<string> = []) =>
  decideFallback({
    active: given.failed,
    kind: "terminal",
    isAvailable: (model) => !unavailable.includes(model),
    ...given
  })

test.each<[ModelErrorKind, number | undefined, string]>([
  ["quota", 429, "terminal"],
  ["rate-limited", 429, "transient"],
  ["capacity", 429, "transient"],
  ["unavailable", 503, "transient"],
  ["unavailable", 499, "transient"],
  ["unavailable", 500, "unknown"],
  ["not-found", 404, "not_found"],
  ["network", undefined, "unknown"],
  ["auth", 401, "unknown"]
])("%s with status %p is a failure of kind %s", (kind, status, expected) =>
  expect<string>(failureKindOf({ kind, status })).toBe(expected)
)

describe("who stands in", () => {
  const pro = "gemini-3.1-pro-preview"
  const flash = "gemini-3-flash-preview"

  test("the next available member, with the action of its own policy", () => {
    expect(decide({ chain: chain(pro), failed: pro })).toEqual({ _tag: "Switch", model: flash, action: "prompt" })
    const lite = "gemini-3.1-flash-lite"
    expect(decide({ chain: chain(lite), failed: lite, active: pro })).toEqual({
      _tag: "Switch",
      model: "gemini-3.5-flash",
      action: "silent"
    })
  })
  test("members that are known to fail are passed over", () => {
    const lite = "gemini-3.1-flash-lite"
    expect(decide({ chain: chain(lite), failed: lite }, ["gemini-3.5-flash"])).toMatchObject({
      model: "gemini-2.5-pro"
    })
  })
  test("the last resort is tried even when it failed before", () => {
    expect(decide({ chain: chain(pro), failed: pro }, [flash])).toMatchObject({ _tag: "Switch", model: flash })
  })
  test("no candidate is left but one that is known to fail: the error surfaces", () => {
    expect(decide({ chain: chain(flash), failed: flash }, [pro])).toEqual({ _tag: "None" })
  })
  test("a model alone can only be tried again", () => {
    expect(decide({ chain: chain("mine"), failed: "mine" })).toEqual({ _tag: "SameModel", model: "mine" })
  })
  test("a utility model alone gives way to the model of the conversation", () => {
    expect(decide({ chain: chain("mine"), failed: "mine", active: pro })).toEqual({
      _tag: "Switch",
      model: pro,
      action: "silent"
    })
    expect(decide({ chain: chain("mine"), failed: "mine", active: pro }, [pro])).toMatchObject({ _tag: "SameModel" })
  })
  test("a utility request moves to the active model without a question", () => {
    expect(decide({ chain: chain(pro), failed: pro, active: flash })).toMatchObject({ model: flash, action: "silent" })
  })
  test("the action depends on what happened", () => {
    const auto = chain(flash, true)
    expect(decide({ chain: auto, failed: flash, kind: "transient" })).toMatchObject({ action: "silent" })
    expect(decide({ chain: auto, failed: flash, kind: "terminal" })).toMatchObject({ action: "prompt" })
  })
})
