/**
 * A batch on the service: jobs are made of what is not done, watched until they end, and fetched at once. A service that
 * cannot be asked for an hour is asked again after it: the jobs go on without us.
 */
import { rmSync } from "node:fs"
import { Clock, type Duration, Effect, Either, Ref } from "effect"
import { ModelError } from "../../retry/model-error.ts"
import { lookAgainDelay } from "../../retry/schedules.ts"
import type { BatchError } from "../batch-error.ts"
import type { JobItem } from "../journal/journal-record.ts"
import type { ResultLine } from "../result-line.ts"
import type { DoneItems } from "../run/batch-state.ts"
import { type BatchService, hasEnded, type RemoteJob } from "./batch-service.ts"
import { APPEARS_WITHIN_MS, adopted } from "./create-job.ts"
import { type AnswerReader, failedLine, jobAnswer, jobFault } from "./job-answer.ts"
import type { Job, JobBook, Note } from "./job-book.ts"
import { type SubmitInput, submitJobs } from "./submit-jobs.ts"

export interface WatchInput extends CollectInput {
  /** Between two looks; absent: 5 seconds, growing to a minute. */
  readonly poll: Duration.Duration | undefined
  readonly waiting: (reason: string | undefined) => Effect.Effect<void>
  readonly isCancelled: Effect.Effect<boolean>
  /** Comes back when somebody wants to end it. */
  readonly cancelled: Effect.Effect<void>
}

export interface JobsInput extends WatchInput, Omit<SubmitInput, "waiting"> {
  /** Jobs are made, and nobody waits for them. */
  readonly detached: boolean
}

export interface JobsEnd {
  /** That no more was asked for because of it. */
  readonly limit: string | undefined
  readonly isCancelled: boolean
  /** Items that are to be asked live. */
  readonly elsewhere: ReadonlyArray<string>
}

export const runJobs = (input: JobsInput): Effect.Effect<JobsEnd, BatchError | ModelError> =>
  Effect.gen(function* () {
    const submitted = yield* Effect.makeLatch(false)
    const limit = yield* Ref.make<string | undefined>(undefined)
    const submit = Effect.flatMap(submitJobs(input), (reached) => Ref.set(limit, reached)).pipe(
      Effect.zipRight(submitted.open)
    )
    if (input.detached) {
      yield* submit
      return { limit: yield* Ref.get(limit), isCancelled: yield* input.isCancelled, elsewhere: [] }
    }
    const [elsewhere] = yield* Effect.all([watchJobs(input, submitted.await), submit], { concurrency: 2 })
    return { limit: yield* Ref.get(limit), isCancelled: yield* input.isCancelled, elsewhere }
  }).pipe(Effect.ensuring(Effect.sync(() => rmSync(input.spool, { force: true }))))

/** Until no job is open; `complete`: no more jobs come. Gives the keys of items that are to be asked otherwise. */
export const watchJobs = (
  input: WatchInput,
  complete: Effect.Effect<void>
): Effect.Effect<ReadonlyArray<string>, BatchError | ModelError> =>
  Effect.gen(function* () {
    const { book } = input
    const elsewhere: Array<string> = []
    const isComplete = yield* Ref.make(false)
    const told = yield* Effect.makeLatch(false)
    yield* Effect.fork(Effect.flatMap(complete, () => Effect.zipRight(Ref.set(isComplete, true), told.open)))
    for (let looks = 0; ; looks++) {
      elsewhere.push(...(yield* lookAtAll(input)))
      if (yield* input.isCancelled) return elsewhere
      if ((yield* Ref.get(isComplete)) && book.open.length === 0) return elsewhere
      const news = (yield* Ref.get(isComplete)) ? input.cancelled : Effect.raceFirst(told.await, input.cancelled)
      yield* Effect.raceFirst(Effect.sleep(input.poll ?? lookAgainDelay(looks)), news)
    }
  })

/** One look at each job; those that have ended are fetched. */
export const lookAtAll = (input: WatchInput): Effect.Effect<ReadonlyArray<string>, BatchError | ModelError> =>
  Effect.gen(function* () {
    const elsewhere: Array<string> = []
    for (const job of [...input.book.open]) {
      if (job.id === undefined) continue
      const remote = yield* lookAt(input, job)
      if (remote !== undefined && !hasEnded(remote.state)) continue
      if (remote === undefined && job.trouble !== undefined) continue
      elsewhere.push(...(yield* fetched(input, job, remote)))
    }
    const trouble = input.book.open.find((job) => job.trouble !== undefined)?.trouble
    yield* input.waiting(trouble)
    return elsewhere
  })

/** `undefined`: it is not there, or, with its `trouble`, nobody knows. */
export const lookAt = (
  input: Pick<WatchInput, "service" | "book" | "waiting">,
  job: Job
): Effect.Effect<RemoteJob | undefined, BatchError | ModelError> =>
  Effect.gen(function* () {
    const { book, service } = input
    const answer = yield* Effect.either(service.get(job.id ?? ""))
    if (Either.isRight(answer)) {
      yield* book.heard(job, answer.right)
      return answer.right
    }
    const error = answer.left
    if (error.kind === "auth") return yield* error
    if (error.status !== 404) {
      job.trouble = error.detail
      return undefined
    }
    job.trouble = undefined
    // It is looked for in the list before it is given up.
    return (yield* adopted(input, job, APPEARS_WITHIN_MS))
      ? yield* Effect.option(service.get(job.id ?? "")).pipe(
          Effect.map((found) => (found._tag === "Some" ? found.value : undefined))
        )
      : undefined
  })

const fetched = (input: WatchInput, job: Job, remote: RemoteJob | undefined) =>
  Effect.catchAll(collectJob(input, job, remote), (error) =>
    Effect.gen(function* () {
      if (!(error instanceof ModelError) || error.kind === "auth") return yield* error
      if (error.status === undefined || error.status >= 500 || error.status === 429 || remote === undefined) {
        job.trouble = error.detail
        return []
      }
      // What it said is kept for two days; whoever comes later finds the job without its answers.
      return yield* collectJob(input, job, {
        ...remote,
        output: undefined,
        error: `its results cannot be had: ${error.detail}`
      })
    })
  )

/** How the jobs stand, for people. */
export const jobsText = ({ open }: JobBook): string => {
  const states = new Map<string, number>()
  let answered = 0
  for (const { counts, state } of open) {
    states.set(state, (states.get(state) ?? 0) + 1)
    answered += counts?.done ?? 0
  }
  const parts = [...states].map(([state, count]) => `${count} ${count === 1 ? "job" : "jobs"} ${state.toLowerCase()}`)
  return [...parts, ...(answered === 0 ? [] : [`${answered.toLocaleString("en-US")} answered there`])].join(", ")
}

/**
 * What a job came to, into the output: answers come in any order, twice, or under keys that nobody asked for. What is not
 * answered is an error of its item, or goes another way; items of a job that was cancelled are simply not done.
 */
interface CollectInput {
  readonly service: BatchService
  readonly book: JobBook
  readonly reader: AnswerReader
  readonly done: DoneItems
  readonly append: (result: ResultLine, requestHash: string) => Effect.Effect<void, BatchError>
  /** Items that failed are asked live: told before the job is over, so that they are not forgotten. */
  readonly reroutes: boolean
  readonly note: Note
  /** A line for the person. */
  readonly say: (text: string) => Effect.Effect<void>
}

/** Between two turns of everybody else. */
const AT_ONCE = 500

/** `remote`: absent where the job has disappeared. Gives the keys of items that are to be asked otherwise. */
const collectJob = (
  input: CollectInput,
  job: Job,
  remote: RemoteJob | undefined
): Effect.Effect<ReadonlyArray<string>, BatchError | ModelError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { append, book, done, reader, reroutes, say, service } = input
      const items = yield* book.itemsOf(job)
      const byKey = new Map(items.map((item) => [item[0], item] as const))
      const waited = (yield* Clock.currentTimeMillis) - job.reservedAt
      const answered = new Set<string>()
      const elsewhere: Array<string> = []
      const unknown: Array<string> = []
      let again = 0

      const finish = (item: JobItem, line: ResultLine) =>
        Effect.suspend(() => {
          if (line.status === "success" || !reroutes) return append(line, item[1])
          elsewhere.push(item[0])
          return Effect.void
        })

      const results = remote?.output === undefined ? [] : yield* service.results(remote.output)
      let taken = 0
      for (const result of results) {
        if (++taken % AT_ONCE === 0) yield* Effect.yieldNow()
        const item = typeof result.key === "number" ? items[result.key] : byKey.get(result.key ?? "")
        if (item === undefined) {
          unknown.push(String(result.key ?? "(no key)"))
          continue
        }
        const [key] = item
        if (answered.has(key)) {
          again += 1
          continue
        }
        answered.add(key)
        // Written in an earlier attempt to collect this job.
        if (done.has(key)) continue
        yield* finish(item, jobAnswer(reader, key, result, waited))
      }
      const why = whyMissing(job, remote)
      if (why !== undefined) {
        const fault = jobFault(reader.model, why)
        for (const item of items) {
          if (answered.has(item[0]) || done.has(item[0])) continue
          yield* finish(item, failedLine(reader, item[0], fault, waited))
        }
      }
      if (unknown.length > 0) {
        yield* say(
          `[WARNING] job ${job.name} answered ${unknown.length} keys that were not asked: ${unknown.slice(0, SHOWN).join(", ").slice(0, SHOWN_CHARACTERS)}\n`
        )
      }
      if (again > 0)
        yield* say(`[WARNING] job ${job.name} answered ${again} keys more than once; the first answers count\n`)
      if (elsewhere.length > 0) yield* input.note({ t: "rerouted", keys: elsewhere })
      yield* book.collected(job)
      // They go away by themselves after two days.
      if (job.file !== undefined) yield* Effect.ignore(service.forget(job.file))
      return elsewhere
    })
  )

const SHOWN = 5

const SHOWN_CHARACTERS = 200

/** `undefined`: nobody wants them any more. */
const whyMissing = (job: Job, remote: RemoteJob | undefined): string | undefined => {
  const name = job.id ?? job.name
  if (remote === undefined) return `the job ${name} is not there any more`
  const said = remote.error === undefined ? "" : `: ${remote.error}`
  switch (remote.state) {
    case "CANCELLED":
      return undefined
    case "EXPIRED":
      return `the job ${name} expired before this item was answered${said}`
    case "FAILED":
      return `the job ${name} failed${said}`
    default:
      return `the job ${name} gave no answer for this key${said}`
  }
}
