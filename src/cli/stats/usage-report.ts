/** What recorded sessions took, added up: tokens, cost, tools, files, days. Pure. */
import { Duration, Option } from "effect"
import { costOf, type PriceOf, tierOf } from "../../model/pricing.ts"
import type { ServiceTier } from "../../protocol/usage.ts"
import type {
  MessageRecord,
  SessionMetadata,
  TokenCounts,
  ToolCallRecord
} from "../../session/record/session-record.ts"

export interface Totals {
  readonly requests: number
  /** Of the prompt, cached ones included. */
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly thoughts: number
  readonly total: number
  /** In US dollars. */
  readonly costUsd: number
}

export interface ToolTotals {
  readonly calls: number
  readonly succeeded: number
  readonly durationMs: number
}

export interface UsageReport extends Totals {
  /** By absolute path, where all projects were asked for. */
  readonly projects?: Readonly<Record<string, Totals & { readonly sessions: number; readonly prompts: number }>>
  readonly sessions: number
  readonly prompts: number
  /** Models without a known price: the cost leaves them out. */
  readonly unpriced: ReadonlyArray<string>
  readonly models: Readonly<Record<string, Totals>>
  /** By service tier. */
  readonly tiers: Readonly<Partial<Record<ServiceTier, Totals>>>
  readonly tools: Readonly<Record<string, ToolTotals>>
  /** Paths of files that were written, with the number of changes. */
  readonly files: Readonly<Record<string, number>>
  /** By date, `2026-01-31`, in UTC. */
  readonly days: Readonly<Record<string, Totals & { readonly prompts: number }>>
}

export interface SessionUsage {
  readonly metadata: Pick<SessionMetadata, "startTime" | "kind">
  readonly messages: ReadonlyArray<
    Pick<MessageRecord, "timestamp" | "model" | "tokens" | "toolCalls" | "otherRequests"> & {
      /** A person said it, and not the program in their place. */
      readonly isPrompt: boolean
    }
  >
}

const NONE: Totals = { requests: 0, input: 0, cached: 0, output: 0, thoughts: 0, total: 0, costUsd: 0 }
const UNKNOWN_MODEL = "unknown"

/** `since`: milliseconds; what was said before does not count. */
export const usageReport = (
  sessions: ReadonlyArray<SessionUsage>,
  { priceOf, since }: { readonly priceOf: PriceOf; readonly since: number | undefined }
): UsageReport => {
  const models = new Map<string, Totals>()
  const tiers = new Map<ServiceTier, Totals>()
  const tools = new Map<string, ToolTotals>()
  const files = new Map<string, number>()
  const days = new Map<string, Totals & { readonly prompts: number }>()
  const unpriced = new Set<string>()
  let [counted, prompts] = [0, 0]
  for (const { messages, metadata } of sessions) {
    const recent = messages.filter(({ timestamp = metadata.startTime }) => isSince(timestamp, since))
    if (recent.length > 0 && metadata.kind !== "subagent") counted += 1
    for (const message of recent) {
      const { isPrompt, timestamp = metadata.startTime, toolCalls = [] } = message
      const day = timestamp?.slice(0, 10) ?? UNKNOWN_MODEL
      const asked = isPrompt ? 1 : 0
      prompts += asked
      let took = NONE
      for (const { model, tokens } of requestsOf(message)) {
        const totals = totalsOf(tokens, model, priceOf)
        const tier = tierOf({ serviceTier: tokens.tier ?? "standard" })
        models.set(model, plus(models.get(model) ?? NONE, totals))
        tiers.set(tier, plus(tiers.get(tier) ?? NONE, totals))
        if (priceOf(model) === undefined && tokens.replayed !== true) unpriced.add(model)
        took = plus(took, totals)
      }
      const before = days.get(day) ?? { ...NONE, prompts: 0 }
      if (asked + took.requests > 0) days.set(day, { ...plus(before, took), prompts: before.prompts + asked })
      for (const call of toolCalls) {
        tools.set(call.name, withCall(tools.get(call.name), call))
        for (const file of changedFiles(call)) files.set(file, (files.get(file) ?? 0) + 1)
      }
    }
  }
  return {
    ...[...models.values()].reduce(plus, NONE),
    sessions: counted,
    prompts,
    unpriced: [...unpriced].toSorted(),
    models: Object.fromEntries(models),
    tiers: Object.fromEntries(tiers),
    tools: Object.fromEntries(tools),
    files: Object.fromEntries(files),
    days: Object.fromEntries([...days].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
}

/** What an agent asked for its work stands in a session of its own. */
const requestsOf = ({ model = UNKNOWN_MODEL, otherRequests = [], tokens }: SessionUsage["messages"][number]) => [
  ...otherRequests.filter(({ role }) => role !== "subagent"),
  ...(tokens === undefined || tokens === null ? [] : [{ model, tokens }])
]

const isSince = (timestamp: string | undefined, since: number | undefined): boolean =>
  since === undefined || (timestamp !== undefined && Date.parse(timestamp) >= since)

const totalsOf = (tokens: TokenCounts, model: string, priceOf: PriceOf): Totals => {
  const { cached, input, output, thoughts, tier, tool, total } = tokens
  const price = priceOf(model)
  const usage = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: total,
    cachedContentTokenCount: cached,
    thoughtsTokenCount: thoughts,
    toolUsePromptTokenCount: tool,
    ...(tier === undefined ? {} : { serviceTier: tier })
  }
  return {
    requests: 1,
    input,
    cached,
    output,
    thoughts,
    total,
    costUsd: price === undefined || tokens.replayed === true ? 0 : costOf(price, usage)
  }
}

const plus = (a: Totals, b: Totals): Totals => ({
  requests: a.requests + b.requests,
  input: a.input + b.input,
  cached: a.cached + b.cached,
  output: a.output + b.output,
  thoughts: a.thoughts + b.thoughts,
  total: a.total + b.total,
  costUsd: a.costUsd + b.costUsd
})

const withCall = (before: ToolTotals | undefined, { durationMs = 0, status }: ToolCallRecord): ToolTotals => ({
  calls: (before?.calls ?? 0) + 1,
  succeeded: (before?.succeeded ?? 0) + (status === "success" ? 1 : 0),
  durationMs: (before?.durationMs ?? 0) + durationMs
})

const WRITES: ReadonlySet<string> = new Set(["write_file", "replace"])

const changedFiles = ({ args, name, status }: ToolCallRecord): ReadonlyArray<string> => {
  const { file_path: file } = args
  return WRITES.has(name) && status === "success" && typeof file === "string" ? [file] : []
}

const UNITS = { m: Duration.minutes, h: Duration.hours, d: Duration.days, w: Duration.weeks } as const

/** How far back: `90m`, `24h`, `7d`, `2w`. */
export const sinceOf = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit] = /^(\d+)([mhdw])$/.exec(text.trim()) ?? []
  return unit === "m" || unit === "h" || unit === "d" || unit === "w"
    ? Option.some(UNITS[unit](Number(amount)))
    : Option.none()
}
