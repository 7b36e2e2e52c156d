/** What is done of a batch, and what it came to: from its journal at the start, and from then on as answers come. */
import { Effect } from "effect"
import type { BatchError } from "../batch-error.ts"
import { type JournalState, readJournal } from "../journal/journal-reader.ts"
import type { DoneRecord } from "../journal/journal-record.ts"
import { journalOf } from "../journal/result-store.ts"
import { KeyIndex } from "../key-index.ts"

const SUCCEEDED = 1
const FAILED = 2

export class DoneItems {
  readonly totals = new BatchTotals()
  private readonly keys: KeyIndex

  constructor(expected?: number) {
    this.keys = new KeyIndex(expected)
  }

  add(record: DoneRecord): void {
    this.keys.setState(this.keys.add(record.key), record.status === "success" ? SUCCEEDED : FAILED)
    this.totals.add(record)
  }

  has(key: string): boolean {
    const number = this.keys.find(key)
    return number !== undefined && this.keys.stateOf(number) !== 0
  }

  get size(): number {
    return this.keys.size
  }
}

export interface BatchState {
  readonly journal: JournalState | undefined
  readonly done: DoneItems
}

export const loadState = (output: string, expected?: number): Effect.Effect<BatchState, BatchError> =>
  Effect.suspend(() => {
    const done = new DoneItems(expected)
    return Effect.map(
      readJournal(journalOf(output), output, (record) => done.add(record)),
      (journal) => ({ journal, done })
    )
  })

/** A scale of steps of 2 %: a percentile is right to that. */
const STEP = Math.log(1.02)

/**
 * What a batch came to, folded from its answers in little memory: sums, and distributions as counts on a scale. Pure.
 */
class Distribution {
  private readonly counts = new Map<number, number>()
  private total = 0
  private sum = 0
  private largest = 0

  add(value: number): void {
    const step = value <= 0 ? Number.NEGATIVE_INFINITY : Math.round(Math.log(value) / STEP)
    this.counts.set(step, (this.counts.get(step) ?? 0) + 1)
    this.total += 1
    this.sum += value
    this.largest = Math.max(this.largest, value)
  }

  /** `share` between 0 and 1. */
  at(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.total))
    for (const [step, count] of [...this.counts].sort(([a], [b]) => a - b)) {
      left -= count
      if (left <= 0) return step === Number.NEGATIVE_INFINITY ? 0 : Math.min(this.largest, Math.exp(step * STEP))
    }
    return 0
  }

  document(round: (value: number) => number) {
    return {
      mean: round(this.total === 0 ? 0 : this.sum / this.total),
      p50: round(this.at(0.5)),
      p90: round(this.at(0.9)),
      p95: round(this.at(0.95)),
      p99: round(this.at(0.99)),
      max: round(this.largest)
    }
  }
}

interface Sums {
  items: number
  failed: number
  tokens: number
  costUsd: number
}

const noSums = (): Sums => ({ items: 0, failed: 0, tokens: 0, costUsd: 0 })

/** Written to as answers come: there may be a million of them. */
export class BatchTotals {
  readonly all = noSums()
  /** Answers whose price is not known; they are missing from the cost. */
  unpriced = 0
  private readonly models = new Map<string, Sums>()
  private readonly tiers = new Map<string, Sums>()
  private readonly causes = new Map<string, number>()
  private readonly durations = new Distribution()
  private readonly costs = new Distribution()

  add(done: DoneRecord): void {
    for (const sums of [this.all, sumsOf(this.models, done.model), sumsOf(this.tiers, done.tier)]) {
      if (sums === undefined) continue
      sums.items += 1
      sums.failed += done.status === "error" ? 1 : 0
      sums.tokens += done.tokens
      sums.costUsd += done.cost ?? 0
    }
    if (done.cost === null) this.unpriced += 1
    if (done.cause !== undefined) this.causes.set(done.cause, (this.causes.get(done.cause) ?? 0) + 1)
    if (done.attempt === 0) return
    this.durations.add(done.duration_ms)
    this.costs.add(done.cost ?? 0)
  }

  document() {
    return {
      items: this.all.items,
      succeeded: this.all.items - this.all.failed,
      failed: this.all.failed,
      tokens: this.all.tokens,
      cost_usd: dollars(this.all.costUsd),
      ...(this.unpriced === 0 ? {} : { items_without_price: this.unpriced }),
      by_model: documentOf(this.models),
      by_tier: documentOf(this.tiers),
      by_error: Object.fromEntries([...this.causes].sort(([, a], [, b]) => b - a)),
      duration_ms: this.durations.document(Math.round),
      cost_usd_per_item: this.costs.document(dollars)
    }
  }
}

const sumsOf = (map: Map<string, Sums>, name: string | undefined): Sums | undefined => {
  if (name === undefined) return undefined
  const known = map.get(name)
  if (known !== undefined) return known
  const made = noSums()
  map.set(name, made)
  return made
}

const documentOf = (map: ReadonlyMap<string, Sums>) =>
  Object.fromEntries(
    [...map].map(([name, { costUsd, failed, items, tokens }]) => [
      name,
      { items, failed, tokens, cost_usd: dollars(costUsd) }
    ])
  )

/** In billionths, beyond which sums are noise. */
const dollars = (value: number): number => Math.round(value * 1e9) / 1e9
