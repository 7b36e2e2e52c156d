/** The two documented shapes of the statistics: `stats` of the json document and of the stream-json `result` event. */
import { type Decisions, type ModelStats, type RunStats, sumTokens, type TokenStats } from "../chat/stats/run-stats.ts"
import type { JsonStats, StreamStats } from "./run-documents.ts"

export const jsonStats = (stats: RunStats): JsonStats => {
  const tools = Object.values(stats.tools)
  const sum = (pick: (tool: (typeof tools)[number]) => number) => tools.reduce((total, tool) => total + pick(tool), 0)
  return {
    models: mapValues(stats.models, (model) => ({
      api: {
        totalRequests: model.totalRequests,
        totalErrors: model.totalErrors,
        totalLatencyMs: model.totalLatencyMs,
        errorsByType: model.errorsByType
      },
      tokens: model.tokens,
      roles: model.roles
    })),
    tools: {
      totalCalls: sum((tool) => tool.count),
      totalSuccess: sum((tool) => tool.success),
      totalFail: sum((tool) => tool.fail),
      totalDurationMs: sum((tool) => tool.durationMs),
      totalDecisions: {
        accept: sum((tool) => tool.decisions.accept),
        reject: sum((tool) => tool.decisions.reject),
        modify: sum((tool) => tool.decisions.modify),
        auto_accept: sum((tool) => tool.decisions.auto_accept)
      } satisfies Decisions,
      byName: stats.tools
    },
    files: { totalLinesAdded: stats.linesAdded, totalLinesRemoved: stats.linesRemoved },
    cost_usd: costField(stats),
    credits: stats.credits || undefined,
    tiers: tiersField(stats)
  }
}

export const streamStats = (stats: RunStats, durationMs: number): StreamStats => ({
  ...streamTokens(sumTokens(Object.values(stats.models).map((model: ModelStats) => model.tokens))),
  duration_ms: durationMs,
  tool_calls: Object.values(stats.tools).reduce((total, tool) => total + tool.count, 0),
  models: mapValues(stats.models, (model) => streamTokens(model.tokens)),
  cost_usd: costField(stats),
  credits: stats.credits || undefined,
  tiers: tiersField(stats)
})

/** `undefined` where everything was answered at the standard tier. */
const tiersField = ({ tiers }: RunStats): JsonStats["tiers"] => {
  if (Object.keys(tiers).every((tier) => tier === "standard")) return undefined
  return mapValues(tiers, (tier) => ({
    requests: tier.totalRequests,
    total_tokens: tier.tokens,
    cost_usd: costField(tier)
  }))
}

/** `null`: not known. In billionths, beyond which sums are noise. */
const costField = ({ costUsd }: Pick<RunStats, "costUsd">): number | null =>
  costUsd === undefined ? null : Math.round(costUsd * 1e9) / 1e9

const streamTokens = (tokens: TokenStats) => ({
  total_tokens: tokens.total,
  input_tokens: tokens.prompt,
  output_tokens: tokens.candidates,
  cached: tokens.cached,
  input: tokens.input
})

const mapValues = <A, B>(record: Readonly<Record<string, A>>, f: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value)]))
