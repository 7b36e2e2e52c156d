/**
 * A batch from its input to its report. What answers items is given: the loop of an agent for each of them, or the batch
 * service. Nothing is asked before everything that can be wrong with input, output and options has been looked at.
 */
import { DateTime, Effect, Either, Ref, type Scope } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import type { RunOutcome } from "../protocol/outcome.ts"
import type { BatchError } from "./batch-error.ts"
import type { BatchRequest } from "./batch-request.ts"
import type { BatchItem } from "./input/batch-item.ts"
import { batchItem, type ItemOptions } from "./input/batch-item.ts"
import type { InputSource } from "./input/input-source.ts"
import { templateOf } from "./input/item-template.ts"
import { type InputPlace, openInput } from "./input/open-input.ts"
import { surveyInput } from "./input/survey.ts"
import type { BatchPlan } from "./journal/journal-record.ts"
import { holdOutput } from "./journal/output-lock.ts"
import { type OutputSink, orderedSink, streamSink, type WriteText } from "./output-sink.ts"
import { commonText, type PlanFacts, planOf } from "./plan.ts"
import type { RateWait } from "./rate/rate-gate.ts"
import { type BatchEvents, openEvents } from "./report/batch-events.ts"
import { startProgress } from "./report/batch-progress.ts"
import { type BatchProgress, summaryText } from "./report/batch-text.ts"
import { writeErrors, writeOrdered, writeReport } from "./report/closing-files.ts"
import { DoneItems } from "./run/batch-state.ts"
import { itemParts, requestHash } from "./run/item-files.ts"
import { prepareOutput } from "./run/prepare-output.ts"
import { type BatchEnd, type ItemEnd, runItems } from "./run/run-items.ts"

/** What answers the items, made when it is certain that there is something to ask. */
export interface LiveEngine {
  readonly work: (item: BatchItem) => Effect.Effect<ItemEnd>
  readonly waiting: Effect.Effect<RateWait | undefined>
}

export interface BatchAround extends InputPlace {
  readonly facts: PlanFacts
  readonly limits: { readonly maxCost: number | undefined; readonly maxTokens: number | undefined }
  readonly startLive: (start: {
    readonly common: string
    readonly earlierAttempts: (key: string) => number
  }) => Effect.Effect<LiveEngine, RunFailed, Scope.Scope>
  readonly stdout: WriteText
  readonly say: (text: string) => Effect.Effect<void>
  /** A line that does not stay; absent where nobody watches. */
  readonly status: ((line: string) => Effect.Effect<void>) | undefined
  readonly isCancelled: Effect.Effect<boolean>
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
      if (request.output !== "-") yield* holdOutput(request.output)
      const source = yield* openInput(request, around)
      const begun = yield* begin(request, around, { options, source })
      const events = yield* openEvents(request.events)
      const engine = yield* around.startLive({
        common: commonText(request, around.facts),
        earlierAttempts: (key) => begun.attempts.get(key) ?? 0
      })
      return yield* work({ request, around, options, source, begun, events, engine })
    })
  )

interface Begun {
  readonly sink: OutputSink
  readonly done: DoneItems
  readonly items: number
  readonly attempts: ReadonlyMap<string, number>
  readonly note: (reason: string) => Effect.Effect<void, BatchError>
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
      note: () => Effect.void
    }
    return none
  }
  const { attempts, done, plan, store } = yield* prepareOutput({
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
    note: (reason) =>
      Effect.flatMap(DateTime.now, (now) => store.note({ t: "end", reason, at: DateTime.formatIso(now) }))
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
  readonly engine: LiveEngine
}

const work = Effect.fnUntraced(function* ({ around, begun, engine, events, options, request, source }: Work) {
  const { done, items, sink } = begun
  const startedAt = yield* monotonicMillis
  const before = done.totals.all.items
  const active = yield* Ref.make(0)
  const progress = Effect.gen(function* (): Effect.fn.Return<BatchProgress> {
    const now = yield* monotonicMillis
    const wait = yield* engine.waiting
    const { costUsd, failed, items: sofar } = done.totals.all
    return {
      total: items,
      done: sofar,
      failed,
      doneNow: sofar - before,
      active: yield* Ref.get(active),
      costUsd,
      elapsedMs: now - startedAt,
      waiting: wait === undefined ? undefined : { reason: wait.reason, leftMs: wait.until - now }
    }
  })
  yield* events.started({ total: items, done: before, output: request.output })
  const shown = yield* startProgress({ progress, ...around, isQuiet: request.isQuiet, events })
  const tracked = (item: BatchItem) =>
    Effect.acquireUseRelease(
      Ref.update(active, (count) => count + 1),
      () => engine.work(item),
      () => Ref.update(active, (count) => count - 1)
    )
  const end = yield* runItems({
    source,
    options,
    shard: request.shard,
    done,
    concurrency: request.concurrency,
    tier: request.tier,
    limits: around.limits,
    work: tracked,
    append: sink.append,
    onDone: events.item,
    isCancelled: around.isCancelled,
    ...(sink.mayBegin === undefined ? {} : { mayBegin: sink.mayBegin })
  }).pipe(Effect.ensuring(shown.stop))
  yield* sink.finish
  return yield* close({ request, around, begun, events, end, startedAt, source })
})

interface Closing extends Omit<Work, "engine" | "options"> {
  readonly end: BatchEnd
  readonly startedAt: number
}

const close = Effect.fnUntraced(function* ({ around, begun, end, events, request, source, startedAt }: Closing) {
  const { done, items } = begun
  const elapsedMs = (yield* monotonicMillis) - startedAt
  const ending = endingOf(end, done, items)
  yield* begun.note(ending.reason)
  if (request.output !== "-") {
    if (request.ordered && ending.reason === "complete") yield* writeOrdered(request, source)
    if (request.errors !== undefined) yield* writeErrors(request.output, request.errors)
  }
  const document = { reason: ending.reason, total: items, elapsed_ms: Math.round(elapsedMs), ...done.totals.document() }
  yield* writeReport(request.report, document)
  yield* events.finished(document)
  if (!request.isQuiet || ending.early !== undefined) {
    yield* around.say(
      summaryText({ output: request.output, total: items, totals: done.totals, elapsedMs, early: ending.early })
    )
  }
  return ending.exitCode
})

interface Ending {
  readonly reason: string
  readonly exitCode: number
  readonly early: { readonly why: string; readonly hint: string | undefined } | undefined
}

const AGAIN = "What is done is kept: the same command goes on from here."

const endingOf = (end: BatchEnd, done: DoneItems, items: number): Ending => {
  const left = items - done.totals.all.items
  switch (end._tag) {
    case "Complete":
      return {
        reason: "complete",
        exitCode: done.totals.all.failed === 0 ? ExitCode.success : ExitCode.someFailed,
        early: undefined
      }
    case "Cancelled":
      return {
        reason: "cancelled",
        exitCode: ExitCode.sigint,
        early: { why: `cancelled: ${left} items are not done`, hint: AGAIN }
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
