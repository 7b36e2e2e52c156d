/** The jobs of a batch in another process, on another day: how they stand, what they came to, and their end. */
import { Duration, Effect, Either, type Scope } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import type { ModelError } from "../../retry/model-error.ts"
import { BatchError } from "../batch-error.ts"
import { holdOutput } from "../journal/output-lock.ts"
import { journalOf, openStore } from "../journal/result-store.ts"
import { finishRewrite } from "../journal/rewrite-output.ts"
import { openEvents } from "../report/batch-events.ts"
import { grouped, moneyText, startProgress, summaryText } from "../report/batch-text.ts"
import { loadState } from "../run/batch-state.ts"
import type { BatchService, JobCounts } from "./batch-service.ts"
import { dropCache } from "./cached-context.ts"
import { adopted, timeToAppear } from "./create-job.ts"
import type { AnswerReader } from "./job-answer.ts"
import { JobBook } from "./job-book.ts"
import { jobsText, lookAtAll, type WatchInput, watchJobs } from "./run-jobs.ts"

export interface TendRequest {
  readonly action: "status" | "collect" | "cancel"
  /** The output of the batch. */
  readonly output: string
  readonly json: boolean
  readonly isQuiet: boolean
  /** Until all jobs have ended; else what is there now. */
  readonly waits: boolean
  readonly pollMs: number | undefined
  readonly skipTrust: boolean
}

export interface TendAround<E> {
  /** The service for the model that the batch was begun with, and how its answers are judged. */
  readonly open: (
    options: Readonly<Record<string, string>>
  ) => Effect.Effect<{ readonly service: BatchService; readonly reader: AnswerReader }, BatchError | E, Scope.Scope>
  readonly stdout: (text: string) => Effect.Effect<void, BatchError>
  readonly say: (text: string) => Effect.Effect<void>
  readonly status: ((line: string) => Effect.Effect<void>) | undefined
  readonly isCancelled: Effect.Effect<boolean>
  readonly cancelled: Effect.Effect<void>
}

/** The exit code. */
export const tendJobs = <E>(
  request: TendRequest,
  around: TendAround<E>
): Effect.Effect<number, BatchError | ModelError | E> =>
  Effect.scoped(request.action === "status" ? tellStatus(request, around) : tend(request, around))

const tellStatus = Effect.fnUntraced(function* <E>({ json, output }: TendRequest, around: TendAround<E>) {
  const { journal, status } = yield* batchStatus(output)
  const book = new JobBook(journal.jobs, journalOf(output), () => Effect.succeed(0))
  // What nobody can be asked about is told as it was last heard.
  const asked = book.open.length === 0 ? undefined : yield* Effect.option(around.open(journal.plan.plan.options))
  if (asked?._tag === "Some") {
    const { service } = asked.value
    yield* Effect.forEach(
      book.open.filter(({ id }) => id !== undefined),
      (job) => Effect.ignore(Effect.flatMap(service.get(job.id ?? ""), (remote) => book.heard(job, remote))),
      { concurrency: 4, discard: true }
    )
  }
  const now: BatchStatus = {
    ...status,
    jobs: status.jobs.map((job) => {
      const open = book.open.find(({ name }) => name === job.name)
      return open === undefined
        ? job
        : { ...job, state: open.state, ...(open.counts === undefined ? {} : { counts: open.counts }) }
    })
  }
  yield* around.stdout(json ? `${JSON.stringify(now, null, 2)}\n` : statusText(now))
  return ExitCode.success
})

const tend = Effect.fnUntraced(function* <E>(request: TendRequest, around: TendAround<E>) {
  const { action, isQuiet, output } = request
  yield* holdOutput(output)
  const { done, journal } = yield* loadState(output)
  if (journal === undefined) return yield* unknownBatch(output)
  const { plan } = journal.plan
  yield* finishRewrite(output, journal.plan)
  const store = yield* openStore({ output, format: plan.format, state: journal })
  const book = new JobBook(journal.jobs, journalOf(output), store.note)
  if (book.open.length === 0) {
    yield* around.say(`no job of ${output} is under way\n`)
    return exitCodeOf(plan.items - done.totals.all.items, done.totals.all.failed, 0)
  }
  const { reader, service } = yield* around.open(plan.options)
  const startedAt = yield* monotonicMillis
  const before = done.totals.all.items
  let trouble: string | undefined
  const input: WatchInput = {
    ...around,
    service,
    reader,
    book,
    done,
    note: store.note,
    reroutes: false,
    poll: request.pollMs === undefined ? undefined : Duration.millis(request.pollMs),
    append: (line, hash) => Effect.uninterruptible(Effect.map(store.append(line, hash), (record) => done.add(record))),
    waiting: (reason) =>
      Effect.sync(() => {
        trouble = reason
      })
  }
  yield* findLost(input, request)
  if (action === "cancel") yield* cancelAll(input)
  const shown = yield* startProgress({
    ...around,
    isQuiet,
    events: yield* openEvents(undefined),
    progress: Effect.map(monotonicMillis, (now) => ({
      total: plan.items,
      done: done.totals.all.items,
      failed: done.totals.all.failed,
      doneNow: done.totals.all.items - before,
      active: 0,
      costUsd: done.totals.all.costUsd,
      elapsedMs: now - startedAt,
      waiting: undefined,
      jobs: { jobs: jobsText(book), estimateUsd: book.estimate.usd, trouble }
    }))
  })
  const watched = action === "collect" && request.waits ? watchJobs(input, Effect.void) : lookAtAll(input)
  yield* Effect.ensuring(watched, shown.stop)
  yield* store.sync
  if (book.open.length === 0 && journal.cache !== undefined) {
    yield* Effect.ignore(dropCache(service.cache, store.note, journal.cache))
  }
  const left = plan.items - done.totals.all.items
  const elapsedMs = (yield* monotonicMillis) - startedAt
  if (!isQuiet) {
    const early = earlyOf(book, left)
    yield* around.say(
      summaryText({
        output,
        total: plan.items,
        totals: done.totals,
        doneNow: done.totals.all.items - before,
        elapsedMs,
        early
      })
    )
  }
  if (action === "cancel") return ExitCode.success
  if (yield* around.isCancelled) return ExitCode.sigint
  return exitCodeOf(left, done.totals.all.failed, book.open.length)
})

const exitCodeOf = (left: number, failed: number, open: number): number =>
  open > 0 ? ExitCode.general : left + failed > 0 ? ExitCode.someFailed : ExitCode.success

const earlyOf = ({ open }: JobBook, left: number) => {
  if (open.length > 0) {
    const jobs = open.length === 1 ? "1 job is" : `${open.length} jobs are`
    return { why: `${jobs} still under way`, hint: "`gemini batch collect` fetches what they come to." }
  }
  return left === 0
    ? undefined
    : { why: `${left} items are not done`, hint: "The command that began the batch asks for them." }
}

/** Jobs whose creation nobody heard the end of: they are there, or they never were. */
const findLost = Effect.fnUntraced(function* (input: WatchInput, { action }: TendRequest) {
  for (const job of [...input.book.open]) {
    if (job.id !== undefined) continue
    if (yield* adopted(input, job, action === "cancel" ? 0 : yield* timeToAppear(job))) continue
    yield* input.say(`[INFO] job ${job.name} was never made: its items are not done\n`)
    yield* input.book.collected(job)
  }
})

const cancelAll = Effect.fnUntraced(function* (input: WatchInput) {
  for (const job of input.book.open) {
    const ended = yield* Effect.either(input.service.cancel(job.id ?? ""))
    // A job that has ended, or is gone, cannot be cancelled, and need not be.
    if (
      Either.isLeft(ended) &&
      (ended.left.status === undefined || ended.left.status >= 500 || ended.left.kind === "auth")
    ) {
      return yield* ended.left
    }
    yield* input.say(`job ${job.id} is told to end\n`)
  }
})

/** How a batch stands, from its journal alone: in another process, on another day. */
const batchStatus = (output: string) =>
  Effect.gen(function* () {
    const { done, journal } = yield* loadState(output)
    if (journal === undefined) return yield* unknownBatch(output)
    const { plan } = journal
    const { by_error, cost_usd, failed, items, succeeded, tokens } = done.totals.document()
    const status: BatchStatus = {
      output,
      begun: plan.created,
      input: plan.plan.input.name,
      options: plan.plan.options,
      total: plan.plan.items,
      done: items,
      succeeded,
      failed,
      left: plan.plan.items - items,
      tokens,
      cost_usd,
      by_error,
      jobs: journal.jobs.map(({ items: count, last, name }) => ({
        name,
        items: count,
        state: last?.state ?? "RESERVED",
        ...(last?.id === undefined ? {} : { id: last.id })
      }))
    }
    return { journal, status }
  })

const unknownBatch = (output: string): BatchError =>
  new BatchError({
    kind: "input",
    message: `${output} has no journal`,
    hint: "Name the output of a batch, as it was given with -O."
  })

interface BatchStatus {
  readonly output: string
  readonly begun: string
  readonly input: string
  readonly options: Readonly<Record<string, string>>
  readonly total: number
  readonly done: number
  readonly succeeded: number
  readonly failed: number
  readonly left: number
  readonly tokens: number
  readonly cost_usd: number
  readonly by_error: Readonly<Record<string, number>>
  readonly jobs: ReadonlyArray<{
    readonly name: string
    readonly items: number
    /** `COLLECTED`: its answers stand in the output. */
    readonly state: string
    readonly id?: string
    readonly counts?: JobCounts
  }>
}

const statusText = (status: BatchStatus): string =>
  [
    `${status.output}: ${grouped(status.done)} of ${grouped(status.total)} items done, ${grouped(status.succeeded)} succeeded, ${grouped(status.failed)} failed`,
    `begun ${status.begun} from ${status.input}; ${grouped(status.tokens)} tokens, $${moneyText(status.cost_usd)}`,
    ...status.jobs.map(
      ({ counts, id, items, name, state }) =>
        `job ${id ?? name}: ${state}, ${counts === undefined ? "" : `${grouped(counts.done)} of `}${grouped(items)} items`
    )
  ]
    .map((line) => `${line}\n`)
    .join("")
