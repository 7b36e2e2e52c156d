/** What a request costs, from its token counts and a table of prices. Pure, and offline. */
import type { Price, Prices } from "../config/setting-schema/model-config.ts"
import { type ServiceTier, tierNamed, type UsageMetadata } from "../protocol/usage.ts"
import { listPrices, TIER_FACTORS } from "./price-table.ts"

/** The price of a model; `undefined` where none is known. */
export type PriceOf = (model: string) => Price | undefined

/** `own` beats the list, also where it names a model by a shorter id. */
export const priceLookup =
  (own: Prices): PriceOf =>
  (model) =>
    priceIn(own, model) ?? priceIn(listPrices, model)

const LONG_PROMPT = 200_000
const MILLION = 1_000_000

export const costOf = (price: Price, usage: UsageMetadata): number => {
  const rates = usage.promptTokenCount > LONG_PROMPT && price.long !== undefined ? price.long : price
  const cached = Math.min(usage.cachedContentTokenCount, usage.promptTokenCount)
  const input = usage.promptTokenCount - cached + usage.toolUsePromptTokenCount
  const output = usage.candidatesTokenCount + usage.thoughtsTokenCount
  const full = (input * rates.input + cached * (rates.cached ?? rates.input) + output * rates.output) / MILLION
  return full * TIER_FACTORS[tierOf(usage)]
}

/** The tier that answered; what nobody names is the standard one. */
export const tierOf = (usage: Pick<UsageMetadata, "serviceTier" | "trafficType">): ServiceTier =>
  tierNamed(usage) ?? "standard"

/** What may follow the id of a model in the name of one of its versions. */
const VERSION = /^-(?:preview|latest|exp|customtools|\d)[\w.-]*$/

const priceIn = (prices: Prices, model: string): Price | undefined => {
  const id = model.replace(/^models\//, "")
  if (Object.hasOwn(prices, id)) return prices[id]
  const [longest] = Object.keys(prices)
    .filter((known) => id.startsWith(known) && VERSION.test(id.slice(known.length)))
    .sort((a, b) => b.length - a.length)
  return longest === undefined ? undefined : prices[longest]
}
