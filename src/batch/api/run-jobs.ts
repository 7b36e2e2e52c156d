/**
 * A batch on the service: jobs are made of what is not done, watched until they end, and fetched at once. A service that
 * cannot be asked for an hour is asked again after it: the jobs go on without us.
 */
import { rmSync } from "node:fs"
import { type Duration, Effect, Either, Ref } from "effect"
import { ModelError } from "../../retry/model-error.ts"
import { lookAgainDelay } from "../../retry/schedules.ts"
import type { BatchError } from "../batch-error.ts"
import { hasEnded, type RemoteJob } from "./batch-service.ts"
import { type CollectInput, collectJob } from "./collect-job.ts"
import { APPEARS_WITHIN_MS, adopted } from "./create-job.ts"
import type { Job, JobBook } from "./job-book.ts"
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
