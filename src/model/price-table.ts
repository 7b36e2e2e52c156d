/**
 * Prices of the paid tier of the Gemini API for text, in US dollars for a million tokens, as far as they are known here.
 * Estimates: they were not compared with the provider's own list. Data only, nothing is fetched; `run.prices` in the
 * settings adds to it and beats it.
 */
import type { Prices } from "../config/setting-schema/model-config.ts"
import type { ServiceTier } from "../protocol/usage.ts"

/** When the table was last written. */
export const PRICES_AS_OF = "2026-11-17"

const PRO_3 = { input: 2, cached: 0.2, output: 12, long: { input: 4, cached: 0.4, output: 18 } }
const LITE_3 = { input: 0.25, cached: 0.025, output: 1.5 }
const FREE = { input: 0, output: 0 }

export const listPrices: Prices = {
  "gemini-3.1-pro-preview": PRO_3,
  "gemini-3-pro-preview": PRO_3,
  "gemini-3.5-flash": { input: 1.5, cached: 0.15, output: 9 },
  "gemini-3-flash-preview": { input: 0.5, cached: 0.05, output: 3 },
  "gemini-3.1-flash-lite": LITE_3,
  "gemini-2.5-pro": { input: 1.25, cached: 0.125, output: 10, long: { input: 2.5, cached: 0.25, output: 15 } },
  "gemini-2.5-flash": { input: 0.3, cached: 0.03, output: 2.5 },
  "gemini-2.5-flash-lite": { input: 0.1, cached: 0.01, output: 0.4 },
  "gemini-embedding-001": { input: 0.15, output: 0 },
  "gemma-4-31b-it": FREE,
  "gemma-4-26b-a4b-it": FREE
}

/** What the tiers cost, as parts of the standard price. That of `priority` differs by model, between 1.75 and 2. */
export const TIER_FACTORS: Readonly<Record<ServiceTier, number>> = { standard: 1, flex: 0.5, priority: 1.8, batch: 0.5 }
