/** A batch through the batch service: what `run-items.ts` is to a live one. Items that come back failed may be asked live. */
import { type Duration, Effect, Either, Exit, Ref, type Scope } from "effect"
import type { RunOutcome } from "../../protocol/outcome.ts"
import { ModelError } from "../../retry/model-error.ts"
import { type BatchError, badInput } from "../batch-error.ts"
import type { BatchItem } from "../input/batch-item.ts"
import type { JournalState } from "../journal/journal-reader.ts"
import type { CacheRecord, DoneRecord, Estimate } from "../journal/journal-record.ts"
import { unsentResult } from "../result-line.ts"
import { type BatchEnd, type ItemsInput, passedLimit, runItems } from "../run/run-items.ts"
import type { BatchService } from "./batch-service.ts"
import type { AnswerReader } from "./job-answer.ts"
import { JobBook, type Note } from "./job-book.ts"
import { jobsText, runJobs } from "./run-jobs.ts"
import { type ItemRequest, JOB_LIMITS } from "./submit-jobs.ts"

/** The service, and how items are said to it. */
export interface ApiEngine {
  readonly service: BatchService
  readonly reader: AnswerReader
  readonly requestOf: (item: BatchItem) => Either.Either<ItemRequest, string>
  readonly estimate: (bytes: number) => Estimate
  /** A limit in dollars can be kept. */
  readonly hasPrice: boolean
  readonly waitsForQuota: boolean
}

export interface ApiStart {
  readonly common: string
  readonly earlierAttempts: (key: string) => number
  readonly note: Note
  readonly cache: CacheRecord | undefined
  /** Whether jobs go on when this process ends. */
  readonly isNeeded: Effect.Effect<boolean>
}

export interface JobsAnswering<E> extends Omit<ItemsInput, "work" | "mayBegin"> {
  readonly output: string
  readonly journal: { readonly path: string; readonly state: JournalState | undefined }
  readonly note: Note
  readonly detach: boolean
  readonly poll: Duration.Duration | undefined
  readonly reroutes: boolean
  readonly cancelled: Effect.Effect<void>
  readonly say: (text: string) => Effect.Effect<void>
  readonly outcomeOf: (exit: Exit.Exit<unknown, ModelError>) => RunOutcome
  readonly startApi: (start: ApiStart) => Effect.Effect<ApiEngine, BatchError | ModelError | E, Scope.Scope>
  readonly earlierAttempts: (key: string) => number
  readonly common: string
  /** Asks one item live; made when there is one. */
  readonly startLive: Effect.Effect<ItemsInput["work"], BatchError | E, Scope.Scope>
}

export interface JobsProgress {
  /** How the open jobs stand. */
  readonly jobs: string
  readonly estimateUsd: number
  readonly trouble: string | undefined
}

export interface AnsweringByJobs<E> {
  readonly run: Effect.Effect<BatchEnd, BatchError | E, Scope.Scope>
  readonly progress: Effect.Effect<JobsProgress>
}

export const answerByJobs = <E>(input: JobsAnswering<E>): Effect.Effect<AnsweringByJobs<E>> =>
  Effect.gen(function* () {
    const { done, journal, limits, note, output } = input
    const book = new JobBook(journal.state?.jobs ?? [], journal.path, note)
    const trouble = yield* Ref.make<string | undefined>(undefined)
    const rerouted = input.reroutes ? (journal.state?.rerouted ?? new Set<string>()) : new Set<string>()

    const add = (record: DoneRecord) =>
      Effect.suspend(() => {
        done.add(record)
        return input.onDone(record)
      })
    const write = (...[line, hash, item]: Parameters<ItemsInput["append"]>) =>
      Effect.uninterruptible(Effect.flatMap(input.append(line, hash, item), add))

    const jobs = Effect.gen(function* () {
      const engine = yield* input.startApi({
        common: input.common,
        earlierAttempts: input.earlierAttempts,
        note,
        cache: journal.state?.cache,
        isNeeded: Effect.sync(() => book.open.length > 0)
      })
      if (limits.maxCost !== undefined && !engine.hasPrice) {
        return yield* badInput(
          `--max-cost cannot be kept: no price is known for ${engine.reader.model}`,
          "Name its price in the setting run.prices, or use --max-tokens."
        )
      }
      const end = yield* runJobs({
        ...input,
        ...engine,
        book,
        rerouted,
        append: (line, hash) => write(line, hash, NO_ITEM),
        onFault: (item, why) => write(unsentResult(item.key, why, "batch"), "", item),
        limit: (underWay) => passedLimit(done, limits, underWay),
        limits: JOB_LIMITS,
        spool: `${output}.requests`,
        detached: input.detach,
        waiting: (reason) => Ref.set(trouble, reason)
      })
      return end
    })

    const run = Effect.gen(function* (): Effect.fn.Return<BatchEnd, BatchError | E, Scope.Scope> {
      const end = yield* Effect.either(Effect.scoped(jobs))
      if (Either.isLeft(end)) {
        const error = end.left
        if (!(error instanceof ModelError)) return yield* Effect.fail(error)
        return { _tag: "Stopped", outcome: input.outcomeOf(Exit.fail(error)) }
      }
      const { elsewhere, isCancelled, limit } = end.right
      if (isCancelled) return { _tag: "Cancelled", jobs: book.open.length }
      if (input.detach && book.open.length > 0) return { _tag: "Detached", jobs: book.open.length }
      const live = new Set([...rerouted, ...elsewhere].filter((key) => !done.has(key)))
      if (live.size > 0) {
        const work = yield* input.startLive
        const ended = yield* runItems({ ...input, work, isWanted: (key) => live.has(key) })
        if (ended._tag !== "Complete") return ended
      }
      return limit === undefined ? { _tag: "Complete" } : { _tag: "Limit", limit }
    })

    return {
      run,
      progress: Effect.map(Ref.get(trouble), (why) => ({
        jobs: jobsText(book),
        estimateUsd: book.estimate.usd,
        trouble: why
      }))
    }
  })

/** Answers of jobs come without their place in the input: the output is put in order at the end. */
const NO_ITEM: BatchItem = { ordinal: 0, line: 0, key: "", prompt: "", files: [] }
