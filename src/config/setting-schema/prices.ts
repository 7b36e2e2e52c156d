/** Prices of models as the user states them: US dollars for a million tokens. */
import { Schema } from "effect"
import { expecting, optional } from "../setting.ts"

const Dollars = Schema.Finite.pipe(
  Schema.greaterThanOrEqualTo(0),
  expecting("a number of US dollars for a million tokens")
)

const rates = {
  input: Dollars,
  /** Thoughts are paid for like the answer. */
  output: Dollars,
  /** Input that the service had kept from before; as input where absent. */
  cached: optional(Dollars)
}

export const Price = Schema.Struct({
  ...rates,
  /** For prompts above 200,000 tokens, where they cost more. */
  long: optional(Schema.Struct(rates))
})
export type Price = typeof Price.Type

/** By model id. */
export const Prices = Schema.Record({ key: Schema.String, value: Price })
export type Prices = typeof Prices.Type
