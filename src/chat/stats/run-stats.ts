/** Statistics of one run, folded from its events. Plain data: the writers give it the shapes that scripts expect. */
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import { type RequestRole, type ServiceTier, tierNamed, type UsageMetadata } from "../../protocol/usage.ts"

export interface TokenStats {
  readonly input: number
  readonly prompt: number
  readonly candidates: number
  readonly total: number
  readonly cached: number
  readonly thoughts: number
  readonly tool: number
}

interface RequestStats {
  readonly totalRequests: number
  readonly totalErrors: number
  readonly totalLatencyMs: number
  readonly tokens: TokenStats
}

export interface ModelStats extends RequestStats {
  readonly errorsByType: Readonly<Record<string, number>>
  readonly roles: Readonly<Partial<Record<RequestRole, RequestStats>>>
}

export interface Decisions {
  readonly accept: number
  readonly reject: number
  readonly modify: number
  readonly auto_accept: number
}

export interface ToolStats {
  readonly count: number
  readonly success: number
  readonly fail: number
  readonly durationMs: number
  readonly decisions: Decisions
}

export interface TierStats {
  readonly totalRequests: number
  readonly tokens: number
  /** In US dollars; `undefined` where the price of one of them is not known. */
  readonly costUsd: number | undefined
}

export interface RunStats {
  readonly models: Readonly<Record<string, ModelStats>>
  /** By service tier. */
  readonly tiers: Readonly<Partial<Record<ServiceTier, TierStats>>>
  readonly tools: Readonly<Record<string, ToolStats>>
  readonly linesAdded: number
  readonly linesRemoved: number
  /** Of all requests, in US dollars; `undefined` where the price of one of them is not known. */
  readonly costUsd: number | undefined
  /** Paid credits of the account that answers cost. */
  readonly credits: number
}

export const emptyStats: RunStats = {
  models: {},
  tiers: {},
  tools: {},
  linesAdded: 0,
  linesRemoved: 0,
  costUsd: 0,
  credits: 0
}

export const addEvent = (stats: RunStats, event: ProtocolEvent): RunStats => {
  switch (event._tag) {
    case "RequestFinished":
      return withModel(withCost(stats, event), event.model, event.role, {
        totalRequests: 1,
        totalErrors: 0,
        totalLatencyMs: event.durationMs,
        tokens: tokensOf(event.usage)
      })
    case "RequestFailed":
      return withModel(
        event.usage === undefined ? stats : withCost(stats, { costUsd: event.costUsd, usage: event.usage }),
        event.model,
        event.role,
        {
          totalRequests: 1,
          totalErrors: 1,
          totalLatencyMs: event.durationMs,
          tokens: event.usage === undefined ? NO_TOKENS : tokensOf(event.usage)
        },
        event.errorType
      )
    case "AnswerRejected":
      return withModel(stats, event.model, event.role, { ...NO_REQUESTS, totalErrors: 1 }, event.kind)
    case "ToolFinished":
      return withTool(stats, event)
    case "Subagent":
      return event.event._tag === "ToolFinished" ? withTool(stats, event.event) : stats
    default:
      event satisfies EventOf<Ignored>
      return stats
  }
}

export const anyRequest = (stats: RunStats): boolean => Object.keys(stats.models).length > 0

export const sumTokens = (parts: Iterable<TokenStats>): TokenStats => {
  let sum = NO_TOKENS
  for (const part of parts) sum = addTokens(sum, part)
  return sum
}

const NO_TOKENS: TokenStats = { input: 0, prompt: 0, candidates: 0, total: 0, cached: 0, thoughts: 0, tool: 0 }
const NO_REQUESTS: RequestStats = { totalRequests: 0, totalErrors: 0, totalLatencyMs: 0, tokens: NO_TOKENS }
const NO_DECISIONS: Decisions = { accept: 0, reject: 0, modify: 0, auto_accept: 0 }

const tokensOf = (usage: UsageMetadata): TokenStats => ({
  input: Math.max(0, usage.promptTokenCount - usage.cachedContentTokenCount),
  prompt: usage.promptTokenCount,
  candidates: usage.candidatesTokenCount,
  total: usage.totalTokenCount,
  cached: usage.cachedContentTokenCount,
  thoughts: usage.thoughtsTokenCount,
  tool: usage.toolUsePromptTokenCount
})

/** Once a part is not known, the sum is not either. */
const withCost = (
  stats: RunStats,
  { costUsd, paidCredits, usage }: Pick<EventOf<"RequestFinished">, "costUsd" | "paidCredits" | "usage">
): RunStats => {
  const tier = tierNamed(usage) ?? "standard"
  const { [tier]: before = NO_TIER } = stats.tiers
  const isFree = costUsd === undefined && usage.totalTokenCount === 0
  const after: TierStats = {
    totalRequests: before.totalRequests + 1,
    tokens: before.tokens + usage.totalTokenCount,
    costUsd: isFree ? before.costUsd : sumOf(before.costUsd, costUsd)
  }
  return {
    ...stats,
    tiers: { ...stats.tiers, [tier]: after },
    costUsd: isFree ? stats.costUsd : sumOf(stats.costUsd, costUsd),
    credits: stats.credits + (paidCredits?.consumed ?? 0)
  }
}

const NO_TIER: TierStats = { totalRequests: 0, tokens: 0, costUsd: 0 }

const sumOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b

const addTokens = (a: TokenStats, b: TokenStats): TokenStats => ({
  input: a.input + b.input,
  prompt: a.prompt + b.prompt,
  candidates: a.candidates + b.candidates,
  total: a.total + b.total,
  cached: a.cached + b.cached,
  thoughts: a.thoughts + b.thoughts,
  tool: a.tool + b.tool
})

const addRequests = (a: RequestStats, b: RequestStats): RequestStats => ({
  totalRequests: a.totalRequests + b.totalRequests,
  totalErrors: a.totalErrors + b.totalErrors,
  totalLatencyMs: a.totalLatencyMs + b.totalLatencyMs,
  tokens: addTokens(a.tokens, b.tokens)
})

const withModel = (stats: RunStats, model: string, role: RequestRole, added: RequestStats, errorType?: string) => {
  const before = Object.hasOwn(stats.models, model) ? stats.models[model] : undefined
  const errors = before?.errorsByType ?? {}
  const entry: ModelStats = {
    ...addRequests(before ?? NO_REQUESTS, added),
    errorsByType: errorType === undefined ? errors : { ...errors, [errorType]: countOf(errors, errorType) + 1 },
    roles: { ...before?.roles, [role]: addRequests(before?.roles[role] ?? NO_REQUESTS, added) }
  }
  return { ...stats, models: { ...stats.models, [model]: entry } }
}

const countOf = (counts: Readonly<Record<string, number>>, key: string): number =>
  Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0

const withTool = (stats: RunStats, event: EventOf<"ToolFinished">): RunStats => {
  const before = Object.hasOwn(stats.tools, event.name) ? stats.tools[event.name] : undefined
  const decisions = before?.decisions ?? NO_DECISIONS
  // What a person refused was not done.
  const failed = event.status !== "success"
  const entry: ToolStats = {
    count: (before?.count ?? 0) + 1,
    success: (before?.success ?? 0) + (failed ? 0 : 1),
    fail: (before?.fail ?? 0) + (failed ? 1 : 0),
    durationMs: (before?.durationMs ?? 0) + event.durationMs,
    decisions:
      event.decision === undefined ? decisions : { ...decisions, [event.decision]: decisions[event.decision] + 1 }
  }
  return {
    ...stats,
    tools: { ...stats.tools, [event.name]: entry },
    linesAdded: stats.linesAdded + (event.linesAdded ?? 0),
    linesRemoved: stats.linesRemoved + (event.linesRemoved ?? 0)
  }
}

/** Of no interest here. A new event belongs in a case, or in this list. */
type Ignored =
  | "RunStarted"
  | "UserMessage"
  | "ModelRouted"
  | "ModelChosen"
  | "Thought"
  | "Text"
  | "Citation"
  | "ToolRequested"
  | "ToolStarted"
  | "ToolProgress"
  | "PermissionDenied"
  | "ToolsHidden"
  | "TurnFinished"
  | "RetryScheduled"
  | "TurnRestarted"
  | "StructuredAnswer"
  | "RequestEstimated"
  | "ChatCompressed"
  | "HookStarted"
  | "HookFinished"
  | "RunHalted"
  | "Notice"
