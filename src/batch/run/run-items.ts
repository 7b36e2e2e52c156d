/**
 * All items of a batch through a pool of workers. Each takes the next item of the input when it is free, so the input is
 * read as fast as it is worked on. An answer is written before its worker goes on.
 */
import { Effect, Ref } from "effect"
import type { RunOutcome } from "../../protocol/outcome.ts"
import type { BatchError } from "../batch-error.ts"
import { type BatchItem, batchItem, effectiveKey, type ItemOptions } from "../input/batch-item.ts"
import type { InputSource } from "../input/input-source.ts"
import { isInShard, type Shard } from "../input/survey.ts"
import type { DoneRecord } from "../journal/journal-record.ts"
import { type ResultLine, unsentResult } from "../result-line.ts"
import type { DoneItems } from "./batch-state.ts"

/** What the work on an item came to. */
export type ItemEnd =
  | { readonly _tag: "Answered"; readonly result: ResultLine; readonly requestHash: string }
  /** Nothing that concerns this item alone: the batch ends, and the item is not done. */
  | { readonly _tag: "Stop"; readonly outcome: RunOutcome }

export type BatchEnd =
  | { readonly _tag: "Complete" }
  | { readonly _tag: "Stopped"; readonly outcome: RunOutcome }
  /** No more items were begun. `jobs`: of the service, which go on. */
  | { readonly _tag: "Cancelled"; readonly jobs?: number }
  /** The money or the tokens of the batch are used up. */
  | { readonly _tag: "Limit"; readonly limit: string }
  /** Jobs of the service go on, and nobody waits for them. */
  | { readonly _tag: "Detached"; readonly jobs: number }

export interface ItemsInput {
  readonly source: InputSource
  readonly options: ItemOptions
  readonly shard: Shard | undefined
  readonly done: DoneItems
  readonly concurrency: number
  readonly tier: string
  readonly limits: { readonly maxCost: number | undefined; readonly maxTokens: number | undefined }
  readonly work: (item: BatchItem) => Effect.Effect<ItemEnd>
  readonly append: (result: ResultLine, requestHash: string, item: BatchItem) => Effect.Effect<DoneRecord, BatchError>
  readonly onDone: (record: DoneRecord) => Effect.Effect<void>
  readonly isCancelled: Effect.Effect<boolean>
  /** Absent: all items. */
  readonly isWanted?: (key: string) => boolean
  /** Items that are begun before all earlier ones are written, where that has a bound. */
  readonly mayBegin?: (ordinal: number) => Effect.Effect<void>
}

/** Between two looks at the clock while many items are passed over that are done. */
const PASSED_OVER = 10_000

export const runItems = (input: ItemsInput): Effect.Effect<BatchEnd, BatchError> =>
  Effect.gen(function* () {
    const { append, concurrency, done, isCancelled, limits, onDone, tier, work } = input
    const items = pending(input)
    const ended = yield* Ref.make<BatchEnd>({ _tag: "Complete" })
    const isOver = Effect.map(Ref.get(ended), ({ _tag }) => _tag !== "Complete")
    const end = (how: BatchEnd) => Ref.update(ended, (before) => (before._tag === "Complete" ? how : before))

    const finish = (item: BatchItem, result: ResultLine, hash: string) =>
      Effect.uninterruptible(
        Effect.flatMap(append(result, hash, item), (record) => {
          done.add(record)
          return onDone(record)
        })
      )

    const one = (item: BatchItem): Effect.Effect<void, BatchError> =>
      item.fault === undefined
        ? Effect.flatMap(work(item), (how) =>
            how._tag === "Stop"
              ? end({ _tag: "Stopped", outcome: how.outcome })
              : finish(item, how.result, how.requestHash)
          )
        : finish(item, unsentResult(item.key, item.fault, tier), "")

    const worker = Effect.gen(function* () {
      while (!(yield* isOver)) {
        if (yield* isCancelled) return yield* end({ _tag: "Cancelled" })
        const limit = passedLimit(done, limits)
        if (limit !== undefined) return yield* end({ _tag: "Limit", limit })
        const item = items.next()
        if (item.done === true) return
        if (item.value === undefined) {
          yield* Effect.yieldNow()
          continue
        }
        if (input.mayBegin !== undefined) yield* input.mayBegin(item.value.ordinal)
        yield* one(item.value)
      }
    })
    yield* Effect.all(
      Array.from({ length: concurrency }, () => worker),
      { concurrency: "unbounded", discard: true }
    )
    return yield* Ref.get(ended)
  })

/** Items that are not done. `undefined`: many were passed over, and others may have their turn. */
function* pending({
  done,
  isWanted = () => true,
  options,
  shard,
  source
}: ItemsInput): Generator<BatchItem | undefined, void> {
  let ordinal = 0
  let passed = 0
  for (const raw of source.items()) {
    const key = effectiveKey(raw, options.keyField)
    if (done.has(key) || !isInShard(key, shard) || !isWanted(key)) {
      passed += 1
      if (passed % PASSED_OVER === 0) yield undefined
      continue
    }
    yield batchItem(raw, ordinal++, options)
  }
}

/** What was spent in earlier runs counts as well. */
export const passedLimit = (
  { totals }: DoneItems,
  { maxCost, maxTokens }: ItemsInput["limits"],
  underWay = { usd: 0, tokens: 0 }
): string | undefined => {
  if (maxCost !== undefined && totals.all.costUsd + underWay.usd >= maxCost) return `--max-cost ${maxCost}`
  return maxTokens !== undefined && totals.all.tokens + underWay.tokens >= maxTokens
    ? `--max-tokens ${maxTokens}`
    : undefined
}
