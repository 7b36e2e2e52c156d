/** The jobs of a batch as they stand in its journal: nothing is done to one before it is written there. */
import { Clock, DateTime, Effect } from "effect"
import type { BatchError } from "../batch-error.ts"
import { COLLECTED, isOpen, type JobState, jobItems } from "../journal/journal-reader.ts"
import type { Estimate, JobItem, JournalRecord } from "../journal/journal-record.ts"
import type { JobCounts, RemoteJob } from "./batch-service.ts"

export interface Job {
  readonly number: number
  /** Its display name, by which it is found again. */
  readonly name: string
  readonly items: number
  readonly itemsAt: number
  readonly reservedAt: number
  readonly estimate: Estimate
  /** Reserved in another process: it may have been created without us knowing. */
  readonly isInherited: boolean
  id: string | undefined
  file: string | undefined
  fileAt: number
  state: string
  counts: JobCounts | undefined
  /** Why the service could not be asked about it the last time. */
  trouble: string | undefined
}

export type Note = (...records: ReadonlyArray<JournalRecord>) => Effect.Effect<number, BatchError>

/** A line of the journal stays far below what its reader takes. */
const PIECE_CHARACTERS = 256 * 1024

export class JobBook {
  readonly open: Array<Job>
  private count: number
  private readonly journal: string
  private readonly note: Note

  constructor(jobs: ReadonlyArray<JobState>, journal: string, note: Note) {
    this.journal = journal
    this.note = note
    this.count = jobs.reduce((most, { job }) => Math.max(most, job), 0)
    this.open = jobs.filter(isOpen).map(inherited)
  }

  /** What the open jobs will come to. */
  get estimate(): Estimate {
    return this.open.reduce((sum, { estimate }) => added(sum, estimate), NOTHING)
  }

  /** On the disk before anything is sent. No other batch has a job of this name, not even one over the same input. */
  reserve(items: ReadonlyArray<JobItem>, estimate: Estimate): Effect.Effect<Job, BatchError> {
    return Effect.gen(this, function* () {
      const number = ++this.count
      const reservedAt = yield* Clock.currentTimeMillis
      const unique = new Bun.CryptoHasher("sha256").update(crypto.randomUUID()).update(JSON.stringify(items[0] ?? []))
      const name = `gfx-${unique.digest("hex").slice(0, 16)}-${number}`
      const at = DateTime.formatIso(DateTime.unsafeMake(reservedAt))
      const itemsAt = yield* this.note(...pieces(items).map((piece) => ({ t: "items", name, items: piece }) as const), {
        t: "reserved",
        job: number,
        name,
        items: items.length,
        at,
        estimate
      })
      const job: Job = {
        number,
        name,
        items: items.length,
        itemsAt,
        reservedAt,
        estimate,
        isInherited: false,
        id: undefined,
        file: undefined,
        fileAt: 0,
        state: "RESERVED",
        counts: undefined,
        trouble: undefined
      }
      this.open.push(job)
      return job
    })
  }

  itemsOf(job: Job): Effect.Effect<ReadonlyArray<JobItem>, BatchError> {
    return jobItems(this.journal, job)
  }

  uploaded(job: Job, file: string | undefined): Effect.Effect<void, BatchError> {
    return Effect.gen(this, function* () {
      job.file = file
      job.fileAt = yield* Clock.currentTimeMillis
      yield* this.write(job, "UPLOADED")
    })
  }

  /** What the service says; written down where the state is another one. */
  heard(job: Job, remote: RemoteJob): Effect.Effect<void, BatchError> {
    return Effect.suspend(() => {
      job.counts = remote.counts ?? job.counts
      job.trouble = undefined
      if (job.id === remote.id && job.state === remote.state) return Effect.void
      job.id = remote.id
      job.state = remote.state
      return this.write(job, remote.state)
    })
  }

  collected(job: Job): Effect.Effect<void, BatchError> {
    return Effect.suspend(() => {
      this.open.splice(this.open.indexOf(job), 1)
      return this.write(job, COLLECTED)
    })
  }

  private write(job: Job, state: string): Effect.Effect<void, BatchError> {
    return Effect.gen(this, function* () {
      yield* this.note({
        t: "job",
        job: job.number,
        state,
        at: DateTime.formatIso(yield* DateTime.now),
        ...(job.id === undefined ? {} : { id: job.id }),
        ...(job.file === undefined ? {} : { file: job.file })
      })
    })
  }
}

export const NOTHING: Estimate = { usd: 0, tokens: 0 }

export const added = (one: Estimate, other: Estimate): Estimate => ({
  usd: one.usd + other.usd,
  tokens: one.tokens + other.tokens
})

const inherited = ({ at, estimate, items, itemsAt, job, last, name }: JobState): Job => ({
  number: job,
  name,
  items,
  itemsAt,
  reservedAt: millisOf(at),
  estimate,
  isInherited: true,
  id: last?.id,
  file: last?.file,
  fileAt: last?.state === "UPLOADED" ? millisOf(last.at) : 0,
  state: last?.state ?? "RESERVED",
  counts: undefined,
  trouble: undefined
})

const millisOf = (iso: string): number => {
  const millis = new Date(iso).getTime()
  return Number.isNaN(millis) ? 0 : millis
}

const pieces = (items: ReadonlyArray<JobItem>): ReadonlyArray<ReadonlyArray<JobItem>> => {
  const all: Array<Array<JobItem>> = []
  let characters = Number.POSITIVE_INFINITY
  for (const item of items) {
    if (characters > PIECE_CHARACTERS) {
      all.push([])
      characters = 0
    }
    all.at(-1)?.push(item)
    characters += item[0].length + 32
  }
  return all
}
