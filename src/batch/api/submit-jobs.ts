/** Items into jobs: as many as a job takes, one job after the other, each on the disk before it is sent. */
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { Effect, Either, type Scope } from "effect"
import type { ModelError } from "../../retry/model-error.ts"
import { type BatchError, storageFault } from "../batch-error.ts"
import { type BatchItem, batchItem, effectiveKey, type ItemOptions } from "../input/batch-item.ts"
import type { InputSource } from "../input/input-source.ts"
import { isInShard, type Shard } from "../input/survey.ts"
import type { Estimate, JobItem } from "../journal/journal-record.ts"
import { KeyIndex } from "../key-index.ts"
import type { DoneItems } from "../run/batch-state.ts"
import { type CreateInput, createJob, type JobRequests } from "./create-job.ts"
import { added, type Job, NOTHING } from "./job-book.ts"

/** What the service takes in one job. */
export interface JobLimits {
  readonly items: number
  readonly bytes: number
}

export const JOB_LIMITS: JobLimits = { items: 50_000, bytes: 2_000_000_000 }

export interface SubmitInput extends CreateInput {
  readonly source: InputSource
  readonly options: ItemOptions
  readonly shard: Shard | undefined
  readonly done: DoneItems
  /** Items that are asked live. */
  readonly rerouted: ReadonlySet<string>
  /** The body of its request. Left: why it cannot be asked. */
  readonly requestOf: (item: BatchItem) => Either.Either<ItemRequest, string>
  readonly onFault: (item: BatchItem, why: string) => Effect.Effect<void, BatchError>
  /** Of one request, as far as that can be said. */
  readonly estimate: (bytes: number) => Estimate
  /** Why no more may be asked for, with what is under way and what is about to be. */
  readonly limit: (underWay: Estimate) => string | undefined
  readonly isCancelled: Effect.Effect<boolean>
  /** A file beside the output for the requests of the job that is being made. */
  readonly spool: string
  readonly limits: JobLimits
}

export interface ItemRequest {
  readonly body: string
  readonly hash: string
}

/** Between two turns of everybody else. */
const AT_ONCE = 1000

/** The limit that ended it, where one did. */
export const submitJobs = (input: SubmitInput): Effect.Effect<string | undefined, BatchError | ModelError> =>
  Effect.gen(function* () {
    const { book, done, limits, requestOf } = input
    const taken = new KeyIndex()
    for (const job of book.open) {
      for (const [key] of yield* book.itemsOf(job)) taken.add(key)
    }
    for (const job of [...book.open]) {
      if (job.id === undefined) yield* createJob(input, job, Effect.scoped(requestsOf(input, job)))
    }
    const items = itemsIn(input, (key) => !done.has(key) && taken.find(key) === undefined && !input.rerouted.has(key))
    let next = items.next()
    while (next.done !== true) {
      if (yield* input.isCancelled) return undefined
      const made = yield* Effect.scoped(
        Effect.gen(function* () {
          const spool = yield* openSpool(input.spool)
          const asked: Array<JobItem> = []
          let estimate = NOTHING
          let limit: string | undefined
          for (let passed = 1; next.done !== true; next = items.next(), passed++) {
            if (passed % AT_ONCE === 0) yield* Effect.yieldNow()
            const item = next.value
            const request = item.fault === undefined ? requestOf(item) : Either.left(item.fault)
            if (Either.isLeft(request)) {
              yield* input.onFault(item, request.left)
              continue
            }
            const { body, hash } = request.right
            const line = input.service.requestLine({ key: item.key, index: asked.length, body })
            const bytes = Buffer.byteLength(line)
            limit = input.limit(added(book.estimate, estimate))
            if (limit !== undefined || asked.length === limits.items || spool.bytes() + bytes > limits.bytes) break
            yield* spool.add(line)
            estimate = added(estimate, input.estimate(bytes))
            asked.push([item.key, hash])
          }
          if (asked.length > 0) {
            const job = yield* book.reserve(asked, estimate)
            yield* createJob(input, job, spool.requests)
          }
          return limit
        })
      )
      if (made !== undefined) return made
    }
    return undefined
  })

/** Those of a job that was reserved before, made once more: the input is the same, or nothing would be gone on with. */
const requestsOf = (input: SubmitInput, job: Job): Effect.Effect<JobRequests, BatchError, Scope.Scope> =>
  Effect.gen(function* () {
    const places = new Map((yield* input.book.itemsOf(job)).map(([key], index) => [key, index] as const))
    const spool = yield* openSpool(input.spool, { keep: true })
    for (const item of itemsIn(input, (key) => places.has(key))) {
      const request = input.requestOf(item)
      if (Either.isLeft(request)) continue
      const index = places.get(item.key) ?? 0
      yield* spool.add(input.service.requestLine({ key: item.key, index, body: request.right.body }))
    }
    return yield* spool.requests
  })

function* itemsIn(
  { options, shard, source }: SubmitInput,
  isWanted: (key: string) => boolean
): Generator<BatchItem, void> {
  let ordinal = 0
  for (const raw of source.items()) {
    const key = effectiveKey(raw, options.keyField)
    if (isInShard(key, shard) && isWanted(key)) yield batchItem(raw, ordinal++, options)
  }
}

const PIECE = 1024 * 1024

const openSpool = (path: string, { keep = false } = {}) =>
  Effect.gen(function* () {
    const attempt = <A>(act: () => A) => Effect.try({ try: act, catch: (cause) => storageFault(path, "write", cause) })
    const descriptor = yield* Effect.acquireRelease(
      attempt(() => openSync(path, "w", 0o600)),
      (open) =>
        Effect.sync(() => {
          closeSync(open)
          if (!keep) rmSync(path, { force: true })
        })
    )
    let waiting = ""
    let bytes = 0
    let items = 0
    const flush = attempt(() => {
      const all = Buffer.from(waiting)
      for (let done = 0; done < all.length; ) done += writeSync(descriptor, all, done)
      waiting = ""
    })
    return {
      bytes: () => bytes,
      add: (line: string) =>
        Effect.suspend(() => {
          waiting += line
          bytes += Buffer.byteLength(line)
          items += 1
          return waiting.length < PIECE ? Effect.void : flush
        }),
      requests: Effect.map(flush, (): JobRequests => ({ path, bytes, items }))
    }
  })
