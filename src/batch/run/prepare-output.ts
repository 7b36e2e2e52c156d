/**
 * What is there when a batch starts: nothing, a batch to go on with, or one that was begun with something else. After
 * this the output and its journal are what the batch appends to.
 */
import { existsSync } from "node:fs"
import { DateTime, Effect, type Scope } from "effect"
import { version } from "../../kernel/version.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { BatchError } from "../batch-error.ts"
import { type BatchRequest, changedBatch, changesOf, isComparable } from "../batch-request.ts"
import type { InputSource } from "../input/input-source.ts"
import { surveyInput } from "../input/survey.ts"
import { isOpen, type JournalState, readJournal } from "../journal/journal-reader.ts"
import { type BatchPlan, type DoneRecord, JOURNAL_VERSION, type PlanRecord } from "../journal/journal-record.ts"
import { journalOf, openStore, type ResultStore, setAside } from "../journal/result-store.ts"
import { finishRewrite, rewriteOutput } from "../journal/rewrite-output.ts"
import { DoneItems, loadState } from "./batch-state.ts"

export interface PreparedOutput {
  readonly store: ResultStore
  readonly done: DoneItems
  readonly plan: BatchPlan
  /** Attempts at items that failed in earlier runs and are asked again. */
  readonly attempts: ReadonlyMap<string, number>
  readonly journal: JournalState | undefined
}

export interface PrepareInput {
  readonly request: BatchRequest
  readonly source: InputSource
  readonly planOf: (input: BatchPlan["input"], items: number) => BatchPlan
  /** Of the requests as they would be made now, by key; only asked for with `--changed`. */
  readonly currentHashes: () => (key: string) => string | undefined
}

export const prepareOutput = (input: PrepareInput): Effect.Effect<PreparedOutput, BatchError, Scope.Scope> =>
  Effect.gen(function* () {
    const { request, source } = input
    const { output } = request
    yield* refuseOtherThanFile(output)
    if (request.again === "restart") {
      yield* surveyed(input)
      // A journal that cannot be read is what some begin anew for.
      const before = yield* Effect.option(loadState(output))
      if (before._tag === "Some") yield* refuseOpenJobs(output, before.value.journal)
      yield* setAside(output)
    }
    const found = yield* loadState(output)
    if (found.journal === undefined) return yield* beginAnew(input)
    yield* finishRewrite(output, found.journal.plan)
    const before = found.journal.plan.plan
    const fingerprint = source.fingerprint()
    const isSameInput = fingerprint === before.input.fingerprint
    // The same bytes have been surveyed before: their keys are unique.
    const counted = isSameInput
      ? { items: before.input.items, ownItems: before.items }
      : yield* surveyInput(source, request.keyField, request.shard)
    const plan = input.planOf({ name: source.name, fingerprint, items: counted.items }, counted.ownItems)
    const changes = changesOf(before, plan)
    if (changes.length === 0 && !request.retryErrors) {
      return yield* opened(input, { plan, journal: found.journal, done: found.done, attempts: new Map() })
    }
    if (changes.length > 0 && (request.again !== "changed" || !isComparable(before, plan))) {
      return yield* changedBatch(output, changes)
    }
    yield* refuseOpenJobs(output, found.journal)
    return yield* withoutStale(input, { plan, hasChanged: changes.length > 0 })
  })

/** A device or a folder is neither written to nor put aside. */
const refuseOtherThanFile = (output: string): Effect.Effect<void, BatchError> => {
  const stat = statOrNone(output)
  if (stat === undefined || stat.isFile()) return Effect.void
  return new BatchError({
    kind: "input",
    message: `${output} is ${stat.isDirectory() ? "a folder" : "no regular file"}`,
    hint: "Name a file, or - for standard output."
  })
}

/** Their answers would be paid for and find no place. */
const refuseOpenJobs = (output: string, journal: JournalState | undefined): Effect.Effect<void, BatchError> => {
  const open = journal?.jobs.filter(isOpen) ?? []
  if (open.length === 0) return Effect.void
  return new BatchError({
    kind: "changed",
    message: `${open.length === 1 ? "1 job" : `${open.length} jobs`} of ${output} may still be under way`,
    hint: "Nothing was sent. `gemini batch collect` fetches their answers, `gemini batch cancel` ends them; then start again."
  })
}

const surveyed = ({ request, source }: PrepareInput) =>
  Effect.map(surveyInput(source, request.keyField, request.shard), (survey) => ({
    ...survey,
    fingerprint: source.fingerprint()
  }))

const beginAnew = Effect.fnUntraced(function* (input: PrepareInput) {
  const { request, source } = input
  if (existsSync(request.output) && (yield* hasContent(request.output))) {
    return yield* new BatchError({
      kind: "input",
      message: `${request.output} exists, and no journal says that it is the output of a batch`,
      hint: "Nothing was sent and nothing changed. Choose another output, or --restart, which keeps the file as .1."
    })
  }
  const { fingerprint, items, ownItems } = yield* surveyed(input)
  const plan = input.planOf({ name: source.name, fingerprint, items }, ownItems)
  const prepared = yield* opened(input, { plan, journal: undefined, done: new DoneItems(), attempts: new Map() })
  yield* prepared.store.note(yield* planRecord(plan))
  return prepared
})

/** An empty file is nobody's. */
const hasContent = (path: string) => Effect.sync(() => Bun.file(path).size > 0)

const planRecord = (plan: BatchPlan): Effect.Effect<PlanRecord> =>
  Effect.map(DateTime.now, (now) => ({
    t: "plan",
    journal: JOURNAL_VERSION,
    tool: version,
    created: DateTime.formatIso(now),
    plan
  }))

const opened = (
  { request }: PrepareInput,
  found: Omit<PreparedOutput, "store">
): Effect.Effect<PreparedOutput, BatchError, Scope.Scope> =>
  Effect.map(openStore({ output: request.output, format: request.format, state: found.journal }), (store) => ({
    ...found,
    store
  }))

/** Answers that are asked for again leave the output: errors, and what is asked otherwise now. */
const withoutStale = Effect.fnUntraced(function* (
  input: PrepareInput,
  { hasChanged, plan }: { readonly plan: BatchPlan; readonly hasChanged: boolean }
) {
  const { request } = input
  const { output } = request
  const hashOf = hasChanged ? input.currentHashes() : undefined
  const attempts = new Map<string, number>()
  const kept: Array<DoneRecord> = []
  yield* readJournal(journalOf(output), output, (record) => {
    const isStale = hashOf !== undefined && hashOf(record.key) !== record.request_hash
    if (record.status === "error" && request.retryErrors) attempts.set(record.key, record.attempt)
    else if (!isStale) kept.push(record)
  })
  yield* rewriteOutput(output, yield* planRecord(plan), kept)
  const now = yield* loadState(output, kept.length)
  return yield* opened(input, { plan, journal: now.journal, done: now.done, attempts })
})
