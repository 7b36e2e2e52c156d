/** The estimate of a request as a table for people, and as fields for scripts. */

import { readableLine } from "../kernel/readable-text.ts"
import { PRICES_AS_OF } from "../model/price-table.ts"
import type { EventOf } from "../protocol/event.ts"

type Estimate = EventOf<"RequestEstimated">

export const estimateText = ({ inputCostUsd, model, pieces, totalTokens }: Estimate): string => {
  const width = Math.max(6, String(totalTokens).length)
  const rows = pieces.map(
    ({ name, share, tokens, trust }) =>
      `${String(tokens).padStart(width)}  ${percent(share)}  ${readableLine(name)}${trust === undefined ? "" : ` (${trust})`}`
  )
  const cost =
    inputCostUsd === undefined ? "" : `, about $${dollars(inputCostUsd)} for the input (prices of ${PRICES_AS_OF})`
  return [
    `${"tokens".padStart(width)}  share  part of the request`,
    ...rows,
    `${String(totalTokens).padStart(width)}   100%  total for ${model}${cost}; nothing was sent`,
    ""
  ].join("\n")
}

export const estimateFields = ({ inputCostUsd, model, pieces, totalTokens }: Estimate) => ({
  model,
  total_tokens: totalTokens,
  input_cost_usd: inputCostUsd ?? null,
  prices_as_of: PRICES_AS_OF,
  parts: pieces
})

const percent = (share: number): string => `${(share * 100).toFixed(0)}%`.padStart(5)

/** Small amounts keep three digits that say something. */
const dollars = (amount: number): string =>
  amount >= 0.01 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(3).replace(/\.?0+$/, "")
