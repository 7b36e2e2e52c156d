import { describe, expect, test } from "bun:test"
import { NO_USAGE } from "../protocol/usage.ts"
import { listPrices } from "./price-table.ts"
import { costOf, priceLookup } from "./pricing.ts"

const price = { input: 1, cached: 0.1, output: 10, long: { input: 2, output: 20 } }
const million = 1_000_000

describe("cost", () => {
  test.each([
    ["nothing", {}, 0],
    ["fresh input", { promptTokenCount: 100_000 }, 0.1],
    ["kept input", { promptTokenCount: 100_000, cachedContentTokenCount: 50_000 }, 0.055],
    ["input for tools", { toolUsePromptTokenCount: million }, 1],
    ["the answer", { candidatesTokenCount: 1000 }, 0.01],
    ["thoughts", { thoughtsTokenCount: 1000 }, 0.01],
    ["a prompt at the border", { promptTokenCount: 200_000 }, 0.2],
    ["a long prompt", { promptTokenCount: million, candidatesTokenCount: 1000 }, 2.02],
    ["a long prompt that was kept", { promptTokenCount: million, cachedContentTokenCount: million }, 2],
    ["more kept than sent", { promptTokenCount: 10, cachedContentTokenCount: 20 }, 0.000001]
  ])("%s", (_, usage, expected) => expect(costOf(price, { ...NO_USAGE, ...usage })).toBeCloseTo(expected, 9))
})

describe("which price", () => {
  const lookup = priceLookup({})
  test.each([
    ["gemini-2.5-flash", "gemini-2.5-flash"],
    ["models/gemini-2.5-flash", "gemini-2.5-flash"],
    ["gemini-2.5-flash-lite-preview-09-2025", "gemini-2.5-flash-lite"],
    ["gemini-2.5-flash-001", "gemini-2.5-flash"],
    ["gemini-3.1-pro-preview-customtools", "gemini-3.1-pro-preview"],
    ["gemini-3.1-flash-lite-preview", "gemini-3.1-flash-lite"]
  ])("%s costs as %s", (model, known) => expect(lookup(model)).toBe(listPrices[known]))

  test.each(["gemini-2.5-flash-image", "my-model", "gemini-2.5", "toString"])("%s has none", (model) =>
    expect(lookup(model)).toBeUndefined()
  )
  test("the user's own price wins", () => {
    const own = { input: 7, output: 7 }
    expect(priceLookup({ "gemini-2.5-pro": own, mine: own })("gemini-2.5-pro")).toBe(own)
    expect(priceLookup({ mine: own })("mine")).toBe(own)
    expect(priceLookup({ mine: own })("gemini-2.5-pro")).toBe(listPrices["gemini-2.5-pro"])
  })
})

test("every model that an alias can stand for has a price", () => {
  const lookup = priceLookup({})
  for (const id of [
    "gemini-3.1-pro-preview",
    "gemini-3.1-pro-preview-customtools",
    "gemini-2.5-pro",
    "gemini-3.5-flash",
    "gemini-2.5-flash",
    "gemini-3-flash-preview",
    "gemini-3.1-flash-lite"
  ])
    expect(lookup(id)).toBeDefined()
})
