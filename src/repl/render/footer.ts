/** What a prompt took: requests, tokens and, where prices are known, money. One line after its answer. */
import { readableLine } from "../../kernel/readable-text.ts"
import { elapsedText } from "../../kernel/status-text.ts"
import type { EventOf } from "../../protocol/event.ts"
import { marksFor } from "./marks.ts"

export interface Spent {
  readonly model: string
  readonly requests: number
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  /** `undefined` as soon as the price of one request is unknown: a part of the sum would mislead. */
  readonly costUsd: number | undefined
}

export const nothingSpent: Spent = {
  model: "",
  requests: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: 0
}

export const spentAfter = (before: Spent, { costUsd, model, role, usage }: EventOf<"RequestFinished">): Spent => ({
  model: role === "main" || before.model === "" ? model : before.model,
  requests: before.requests + 1,
  inputTokens: before.inputTokens + usage.promptTokenCount,
  cachedTokens: before.cachedTokens + usage.cachedContentTokenCount,
  outputTokens: before.outputTokens + usage.candidatesTokenCount + usage.thoughtsTokenCount,
  costUsd: before.costUsd === undefined || costUsd === undefined ? undefined : before.costUsd + costUsd
})

export interface FooterStyle {
  readonly columns: number
  readonly unicode: boolean
  /** `ui.footer.hideModelInfo`. */
  readonly hidesModel: boolean
}

/** In a narrow window whole parts give way, the least wanted first; a number is never cut. `""` when nothing fits. */
export const footerLine = (spent: Spent, elapsedMs: number, style: FooterStyle): string => {
  const marks = marksFor(style)
  const model = style.hidesModel ? [] : [readableLine(spent.model)]
  const cached = spent.cachedTokens === 0 ? "" : ` (${tokens(spent.cachedTokens)} cached)`
  const input = `${tokens(spent.inputTokens)} in`
  const output = `${tokens(spent.outputTokens)} out`
  const cost = spent.costUsd === undefined ? [] : [dollars(spent.costUsd)]
  const elapsed = elapsedText(elapsedMs)
  const forms = [
    [...model, input + cached, output, ...cost, elapsed],
    [input + cached, output, ...cost, elapsed],
    [input, output, ...cost, elapsed],
    [input, output, ...cost],
    [input, output]
  ].map((parts) => `  ${parts.join(` ${marks.separator} `)}`)
  return forms.find((line) => Bun.stringWidth(line) < style.columns) ?? ""
}

const tokens = (count: number): string => {
  if (count < 1_000) return String(count)
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(2)}M`
}

const dollars = (amount: number): string => `about $${amount >= 0.01 ? amount.toFixed(2) : amount.toFixed(4)}`
