/** Which old results of tools are worth leaving out of the next requests. Pure. */
import type { Content, FunctionResponse } from "../../protocol/content.ts"
import { estimateParts } from "../token-estimate.ts"
import { maskText } from "./mask-text.ts"
import { maskable, SMALL_RESULT } from "./maskable.ts"

export interface MaskingOptions {
  /** The newest results up to this many tokens stay. */
  readonly protectionThresholdTokens: number
  /** Less than this is not worth the loss. */
  readonly minPrunableThresholdTokens: number
  /** The last message stays whatever it weighs. */
  readonly protectLatestTurn: boolean
}

export interface MaskTarget {
  readonly content: number
  readonly part: number
  readonly response: FunctionResponse
  readonly tokens: number
}

/** From the newest to the oldest; empty when there is too little to gain. */
export const planMasking = (contents: ReadonlyArray<Content>, options: MaskingOptions): ReadonlyArray<MaskTarget> => {
  const targets: Array<MaskTarget> = []
  let seen = 0
  let prunable = 0
  const last = contents.length - (options.protectLatestTurn ? 2 : 1)
  for (let content = last; content >= 0; content--) {
    const parts = contents[content]?.parts ?? []
    for (let part = parts.length - 1; part >= 0; part--) {
      const response = maskable(parts[part])
      if (response === undefined) continue
      const tokens = estimateParts([{ functionResponse: response }])
      seen += tokens
      if (seen <= options.protectionThresholdTokens || !isWorthIt(response, tokens)) continue
      prunable += tokens
      targets.push({ content, part, response, tokens })
    }
  }
  return prunable >= options.minPrunableThresholdTokens ? targets : []
}

/** Whether a preview is smaller, wherever the whole is kept. */
const isWorthIt = (response: FunctionResponse, tokens: number): boolean =>
  tokens > SMALL_RESULT && maskedTokens(response, ANYWHERE) < tokens

const ANYWHERE = "x".repeat(100)

const maskedTokens = (response: FunctionResponse, file: string): number =>
  estimateParts([{ functionResponse: { ...response, response: { output: maskText(response, file) } } }])
