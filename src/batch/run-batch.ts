/**
 * A batch from its input to its report. What answers items is given: the loop of an agent for each of them, or the batch
 * service. Nothing is asked before everything that can be wrong with input, output and options has been looked at.
 */
import { DateTime, Duration, Effect, Either, type Exit, Ref, type Scope } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { RunOutcome } from "../protocol/outcome.ts"
import type { ModelError } from "../retry/model-error.ts"
import { type ApiEngine, type ApiStart, answerByJobs, type JobsProgress } from "./api/answer-by-jobs.ts"
import type { Note } from "./api/job-book.ts"
import type { BatchError } from "./batch-error.ts"
import { type BatchRequest, commonText, type PlanFacts, planOf } from "./batch-request.ts"
import { type BatchItem, batchItem, type ItemOptions, templateOf } from "./input/batch-item.ts"
import type { InputSource } from "./input/input-source.ts"
import { type InputPlace, openInput, refuseClashes } from "./input/open-input.ts"
import { surveyInput } from "./input/survey.ts"
import type { JournalState } from "./journal/journal-reader.ts"
import type { BatchPlan, CacheRecord } from "./journal/journal-record.ts"
import { holdOutput } from "./journal/output-lock.ts"
import { journalOf } from "./journal/result-store.ts"
import { type OutputSink, orderedSink, streamSink, type WriteText, writeClosingFiles } from "./output-sink.ts"
import type { RateWait } from "./rate/rate-gate.ts"
import { type BatchEvents, openEvents } from "./report/batch-events.ts"
import { type BatchProgress, startProgress, summaryText } from "./report/batch-text.ts"
import { DoneItems } from "./run/batch-state.ts"
import { itemParts, requestHash } from "./run/item-files.ts"
import { prepareOutput } from "./run/prepare-output.ts"
import { type BatchEnd, type ItemEnd, runItems } from "./run/run-items.ts"

/** What answers the items, made when it is certain that there is something to ask. */
export interface LiveEngine {
  readonly work: (item: BatchItem) => Effect.Effect<ItemEnd, BatchError>
  readonly waiting: Effect.Effect<RateWait | undefined>
}

export interface BatchAround extends InputPlace {
  readonly facts: PlanFacts
  readonly limits: { readonly maxCost: number | undefined; readonly maxTokens: number | undefined }
  readonly startLive: (start: LiveStart) => Effect.Effect<LiveEngine, BatchError | RunFailed, Scope.Scope>
  readonly startApi: (start: ApiStart) => Effect.Effect<ApiEngine, BatchError | RunFailed | ModelError, Scope.Scope>
  readonly outcomeOf: (exit: Exit.Exit<unknown, ModelError>) => RunOutcome
  readonly stdout: WriteText
  readonly say: (text: string) => Effect.Effect<void>
  /** A line that does not stay; absent where nobody watches. */
  readonly status: ((line: string) => Effect.Effect<void>) | undefined
  readonly isCancelled: Effect.Effect<boolean>
  /** Comes back when somebody wants it to end. */
  readonly cancelled: Effect.Effect<void>
}

export interface LiveStart {
  readonly common: string
  readonly earlierAttempts: (key: string) => number
  readonly note: Note
  /** What the items have in common at the service, from an earlier run. */
  readonly cache: CacheRecord | undefined
}

/** It could not be begun: said as a run would say it. */
export interface RunFailed {
  readonly _tag: "RunFailed"
  readonly outcome: RunOutcome
}

/** The exit code. */
export const runBatch = (request: BatchRequest, around: BatchAround): Effect.Effect<number, BatchError | RunFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const options: ItemOptions = {
        keyField: request.keyField,
        template: request.template === undefined ? undefined : templateOf(request.template),
        fileField: request.fileField ?? (request.input.kind === "glob" ? "file" : undefined)
      }
      yield* refuseClashes(request, around.cwd)
      if (request.output !== "-") yield* holdOutput(request.output)
      const source = yield* openInput(request, around)
      const begun = yield* begin(request, around, { options, source })
      const events = yield* openEvents(request.events)
      return yield* work({ request, around, options, source, begun, events })
    })
  )

interface Begun {
  readonly sink: OutputSink
  readonly done: DoneItems
  readonly items: number
  readonly attempts: ReadonlyMap<string, number>
  readonly journal: JournalState | undefined
  readonly note: Note
}

interface Input {
  readonly options: ItemOptions
  readonly source: InputSource
}

const begin = Effect.fnUntraced(function* (request: BatchRequest, around: BatchAround, { options, source }: Input) {
  if (request.output === "-") {
    const { ownItems } = yield* surveyInput(source, request.keyField, request.shard)
    const sink = request.ordered
      ? yield* orderedSink(request.format, around.stdout)
      : yield* streamSink(request.format, around.stdout)
    const none: Begun = {
      sink,
      done: new DoneItems(),
      items: ownItems,
      attempts: new Map(),
      journal: undefined,
      note: () => Effect.succeed(0)
    }
    return none
  }
  const { attempts, done, journal, plan, store } = yield* prepareOutput({
    request,
    source,
    planOf: (input, items): BatchPlan => planOf(request, around.facts, input, items),
    currentHashes: () => currentHashes(request, around, { options, source })
  })
  const made: Begun = {
    sink: { append: store.append, finish: store.sync },
    done,
    items: plan.items,
    attempts,
    journal,
    note: store.note
  }
  return made
})

/** All items are made once more; keys that are not there have no hash. */
const currentHashes = (request: BatchRequest, around: BatchAround, { options, source }: Input) => {
  const common = commonText(request, around.facts)
  const hashes = new Map<string, string>()
  for (const raw of source.items()) {
    const item = batchItem(raw, 0, options)
    const parts = item.fault === undefined ? itemParts(item, around.cwd) : Either.left(item.fault)
    hashes.set(item.key, Either.match(parts, { onLeft: () => "", onRight: (all) => requestHash(all, common) }))
  }
  return (key: string) => hashes.get(key)
}

interface Work extends Input {
  readonly request: BatchRequest
  readonly around: BatchAround
  readonly begun: Begun
  readonly events: BatchEvents
}

/** How the items are answered, and what there is to tell meanwhile. */
interface Answering<E> {
  readonly run: Effect.Effect<BatchEnd, E, Scope.Scope>
  readonly waiting: Effect.Effect<RateWait | undefined>
  readonly jobs?: Effect.Effect<JobsProgress>
}

const work = Effect.fnUntraced(function* (input: Work) {
  const { around, begun, events, request, source } = input
  const { done, items, sink } = begun
  const startedAt = yield* monotonicMillis
  const before = done.totals.all.items
  const active = yield* Ref.make(0)
  const answering = yield* answeringOf(input, active)
  const progress = Effect.gen(function* (): Effect.fn.Return<BatchProgress> {
    const now = yield* monotonicMillis
    const wait = yield* answering.waiting
    const jobs = answering.jobs === undefined ? undefined : yield* answering.jobs
    const { costUsd, failed, items: sofar } = done.totals.all
    return {
      total: items,
      done: sofar,
      failed,
      doneNow: sofar - before,
      active: yield* Ref.get(active),
      costUsd,
      elapsedMs: now - startedAt,
      ...(jobs === undefined ? {} : { jobs }),
      waiting: wait === undefined ? undefined : { reason: wait.reason, leftMs: wait.until - now }
    }
  })
  yield* events.started({ total: items, done: before, output: request.output })
  const shown = yield* startProgress({ progress, ...around, isQuiet: request.isQuiet, events })
  const end = yield* answering.run.pipe(Effect.ensuring(shown.stop))
  yield* sink.finish
  return yield* close({ request, around, begun, events, end, startedAt, before, source })
})

const answeringOf = Effect.fnUntraced(function* (
  { around, begun, events, options, request, source }: Work,
  active: Ref.Ref<number>
): Effect.fn.Return<Answering<BatchError | RunFailed>, BatchError | RunFailed, Scope.Scope> {
  const { attempts, done, journal, note, sink } = begun
  const start = {
    common: commonText(request, around.facts),
    earlierAttempts: (key: string) => attempts.get(key) ?? 0,
    note,
    cache: journal?.cache
  }
  const shared = {
    source,
    options,
    shard: request.shard,
    done,
    concurrency: request.concurrency,
    tier: request.tier,
    limits: around.limits,
    append: sink.append,
    onDone: events.item,
    isCancelled: around.isCancelled
  }
  const tracked = (work: LiveEngine["work"]) => (item: BatchItem) =>
    Effect.acquireUseRelease(
      Ref.update(active, (count) => count + 1),
      () => work(item),
      () => Ref.update(active, (count) => count - 1)
    )
  if (request.via !== "api") {
    const { waiting, work } = yield* around.startLive(start)
    const mayBegin = sink.mayBegin === undefined ? {} : { mayBegin: sink.mayBegin }
    return { run: runItems({ ...shared, work: tracked(work), ...mayBegin }), waiting }
  }
  const { progress, run } = yield* answerByJobs({
    ...shared,
    ...around,
    ...start,
    output: request.output,
    journal: { path: journalOf(request.output), state: journal },
    detach: request.detach,
    poll: request.pollMs === undefined ? undefined : Duration.millis(request.pollMs),
    reroutes: request.reroute !== "none",
    startLive: Effect.map(around.startLive(start), ({ work }) => tracked(work))
  })
  return { run, waiting: Effect.succeed(undefined), jobs: progress }
})

interface Closing extends Omit<Work, "options"> {
  readonly end: BatchEnd
  readonly startedAt: number
  /** How many items earlier runs had done. */
  readonly before: number
}

const close = Effect.fnUntraced(function* ({
  around,
  before,
  begun,
  end,
  events,
  request,
  source,
  startedAt
}: Closing) {
  const { done, items } = begun
  const elapsedMs = (yield* monotonicMillis) - startedAt
  const ending = endingOf(end, done, items, request.output)
  yield* begun.note({ t: "end", reason: ending.reason, at: DateTime.formatIso(yield* DateTime.now) })
  const document = { reason: ending.reason, total: items, elapsed_ms: Math.round(elapsedMs), ...done.totals.document() }
  yield* writeClosingFiles(request, { source, document, isComplete: ending.reason === "complete" })
  yield* events.finished(document)
  if (!request.isQuiet || ending.early !== undefined) {
    yield* around.say(
      summaryText({
        output: request.output,
        total: items,
        totals: done.totals,
        doneNow: done.totals.all.items - before,
        elapsedMs,
        early: ending.early
      })
    )
  }
  if (end._tag === "Detached" && !request.isQuiet) yield* around.say(`${jobsGoOn(request.output, end.jobs)}\n`)
  return ending.exitCode
})

interface Ending {
  readonly reason: string
  readonly exitCode: number
  readonly early: { readonly why: string; readonly hint: string } | undefined
}

const AGAIN = "What is done is kept: the same command goes on from here."

const jobsGoOn = (output: string, jobs: number): string =>
  `${jobs} ${jobs === 1 ? "job goes" : "jobs go"} on without us: \`gemini batch collect ${output}\` fetches the answers, \`status\` and \`cancel\` do what they say.`

const endingOf = (end: BatchEnd, done: DoneItems, items: number, output: string): Ending => {
  const left = items - done.totals.all.items
  switch (end._tag) {
    case "Detached":
      return {
        reason: "detached",
        exitCode: ExitCode.success,
        early: undefined
      }
    case "Complete":
      if (left > 0) {
        return {
          reason: "cancelled",
          exitCode: ExitCode.sigint,
          early: { why: `${left} items are not done: their jobs were cancelled`, hint: AGAIN }
        }
      }
      return {
        reason: "complete",
        exitCode: done.totals.all.failed === 0 ? ExitCode.success : ExitCode.someFailed,
        early: undefined
      }
    case "Cancelled":
      return {
        reason: "cancelled",
        exitCode: ExitCode.sigint,
        early: {
          why: `cancelled: ${left} items are not done`,
          hint: (end.jobs ?? 0) > 0 ? jobsGoOn(output, end.jobs ?? 0) : AGAIN
        }
      }
    case "Limit":
      return {
        reason: "budget",
        exitCode: ExitCode.limit,
        early: {
          why: `${end.limit} is used up: ${left} items are not done`,
          hint: "Raise it and start the same command again: what is done is kept."
        }
      }
    case "Stopped": {
      const { completionReason, exitCode, failure } = end.outcome
      const isQuota = completionReason === "quota"
      return {
        reason: completionReason,
        exitCode: isQuota ? ExitCode.limit : exitCode,
        early: {
          why: `${failure?.message ?? "the batch was stopped"}; ${left} items are not done`,
          hint: [failure?.hint, isQuota ? "--on-quota wait waits for it." : undefined, AGAIN]
            .filter((text) => text !== undefined)
            .join(" ")
        }
      }
    }
  }
}
