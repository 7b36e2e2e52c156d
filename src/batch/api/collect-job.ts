/**
 * What a job came to, into the output: answers come in any order, twice, or under keys that nobody asked for. What is not
 * answered is an error of its item, or goes another way; items of a job that was cancelled are simply not done.
 */
import { Clock, Effect } from "effect"
import type { ModelError } from "../../retry/model-error.ts"
import type { BatchError } from "../batch-error.ts"
import type { JobItem } from "../journal/journal-record.ts"
import type { ResultLine } from "../result-line.ts"
import type { DoneItems } from "../run/batch-state.ts"
import type { BatchService, RemoteJob } from "./batch-service.ts"
import { type AnswerReader, failedLine, jobAnswer, jobFault } from "./job-answer.ts"
import type { Job, JobBook, Note } from "./job-book.ts"

export interface CollectInput {
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
export const collectJob = (
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
