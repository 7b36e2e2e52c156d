/**
 * What a journal says, and which of it is true. A line that was cut off while it was written is the end of the journal.
 * After the last sync nothing is certain: those records count only where their line stands in the output whole.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs"
import { Effect } from "effect"
import { BatchError, storageFault } from "../batch-error.ts"
import { linesOf } from "../input/line-reader.ts"
import {
  type CacheRecord,
  type DoneRecord,
  JOURNAL_VERSION,
  type JobItem,
  type JobRecord,
  type JournalRecord,
  journalRecord,
  type PlanRecord,
  type ReservedRecord
} from "./journal-record.ts"

export interface JournalState {
  readonly plan: PlanRecord
  /** Bytes of the journal that can be kept; what follows was cut off. */
  readonly journalBytes: number
  /** Bytes of the output that the journal knows. */
  readonly outputBytes: number
  readonly jobs: ReadonlyArray<JobState>
  /** Items that are asked live although the batch is not. */
  readonly rerouted: ReadonlySet<string>
  /** What the items have in common at the service. */
  readonly cache: CacheRecord | undefined
}

export interface JobState extends ReservedRecord {
  /** As it was last heard of; absent: nobody knows whether it was created. */
  readonly last: JobRecord | undefined
  /** Where in the journal its items stand. */
  readonly itemsAt: number
}

/** The items of a job; there may be too many of them to be kept for all jobs. */
export const jobItems = (
  journal: string,
  { itemsAt, name }: Pick<JobState, "itemsAt" | "name">
): Effect.Effect<ReadonlyArray<JobItem>, BatchError> =>
  Effect.try({
    try: () => {
      const found: Array<JobItem> = []
      for (const { text } of linesOf(journal, { wholeOnly: true, from: itemsAt })) {
        const record = journalRecord(text)
        if (record?.t !== "items" || record.name !== name) break
        found.push(...record.items)
      }
      return found
    },
    catch: (cause) => fault(journal, cause)
  })

export const isOpen = ({ last }: JobState): boolean => last?.state !== COLLECTED

/** Nothing more is to be had of a job. */
export const COLLECTED = "COLLECTED"

/**
 * Gives every answer that is certain to `onDone`, in the order of the journal. `undefined`: there is no journal, or
 * nothing was written to it.
 */
export const readJournal = (
  journal: string,
  output: string,
  onDone: (record: DoneRecord) => void
): Effect.Effect<JournalState | undefined, BatchError> =>
  Effect.suspend(() => {
    if (!existsSync(journal)) return Effect.succeed(undefined)
    return Effect.try({ try: () => read(journal, output, onDone), catch: (cause) => fault(journal, cause) })
  })

const fault = (journal: string, cause: unknown): BatchError =>
  cause instanceof BatchError ? cause : storageFault(journal, "read", cause)

const read = (journal: string, output: string, onDone: (record: DoneRecord) => void): JournalState | undefined => {
  let plan: PlanRecord | undefined
  let journalBytes = 0
  let synced = 0
  let unsure: Array<{ readonly record: DoneRecord; readonly from: number }> = []
  const jobs = new Map<number, JobState>()
  const rerouted = new Set<string>()
  let cache: CacheRecord | undefined
  /** The first items of a job that is not reserved yet: a process may have ended in between. */
  let items = { name: "", at: 0 }
  const take = (record: Exclude<JournalRecord, DoneRecord>): void => {
    switch (record.t) {
      case "plan":
        plan = record
        return
      case "synced":
        synced = record.bytes
        unsure = unsure.slice(coveredBy(record.bytes))
        return
      case "reserved":
        jobs.set(record.job, { ...record, last: undefined, itemsAt: items.at })
        return
      case "items":
        if (record.name !== items.name) items = { name: record.name, at: journalBytes }
        return
      case "rerouted":
        for (const key of record.keys) rerouted.add(key)
        return
      case "cache":
        cache = record.gone === true ? undefined : record
        return
      case "job": {
        const known = jobs.get(record.job)
        if (known === undefined) return
        // What was said before and is not said otherwise holds on.
        jobs.set(record.job, { ...known, last: { ...known.last, ...record } })
        return
      }
      case "end":
        return
    }
  }
  /** Answers went on being written while the disk was waited for: those behind this place were not part of it. */
  const coveredBy = (bytes: number): number => {
    let count = 0
    for (const { record } of unsure) {
      if (record.offset + record.length > bytes) break
      onDone(record)
      count += 1
    }
    return count
  }
  let number = 0
  for (const line of linesOf(journal, { wholeOnly: true })) {
    const record = journalRecord(line.text)
    number += 1
    if (record === undefined) {
      if (plan === undefined) throw unusable(journal, "its first line is not that of a journal")
      if (syncsFrom(journal, journalBytes) > 1) throw damaged(journal, number)
      break
    }
    if (plan === undefined) {
      if (record.t !== "plan") throw unusable(journal, "its first line is not that of a journal")
      if (record.journal !== JOURNAL_VERSION) throw otherVersion(journal, record)
    }
    if (record.t === "done") unsure.push({ record, from: journalBytes })
    else take(record)
    journalBytes += Buffer.byteLength(line.text) + 1
  }
  if (plan === undefined) return undefined
  const sure =
    unsure.length === 0
      ? []
      : wholeLines(
          output,
          unsure.map(({ record }) => record)
        )
  for (const record of sure) onDone(record)
  const firstLost = unsure[sure.length]
  const end = sure.at(-1)
  return {
    plan,
    journalBytes: firstLost?.from ?? journalBytes,
    outputBytes: Math.max(synced, end === undefined ? 0 : end.offset + end.length),
    jobs: [...jobs.values()],
    rerouted,
    cache
  }
}

/** A machine that lost its power loses what came after the last sync, and nothing before it. */
const syncsFrom = (journal: string, from: number): number => {
  let count = 0
  for (const { text } of linesOf(journal, { wholeOnly: true, from }))
    if (journalRecord(text)?.t === "synced") count += 1
  return count
}

/** As far as they stand in the output just as they were written. */
const wholeLines = (output: string, records: ReadonlyArray<DoneRecord>): ReadonlyArray<DoneRecord> => {
  if (!existsSync(output)) return []
  const descriptor = openSync(output, "r")
  try {
    const { size } = fstatSync(descriptor)
    const sure: Array<DoneRecord> = []
    for (const record of records) {
      if (record.offset + record.length > size) break
      const bytes = Buffer.allocUnsafe(record.length)
      if (readSync(descriptor, bytes, 0, record.length, record.offset) < record.length) break
      if (Bun.hash.crc32(bytes) !== record.sum) break
      sure.push(record)
    }
    return sure
  } finally {
    closeSync(descriptor)
  }
}

const unusable = (journal: string, why: string): BatchError =>
  new BatchError({
    kind: "storage",
    message: `${journal} cannot be used: ${why}`,
    hint: "Move it away, or begin anew with --restart."
  })

/** To go on from there would pay for everything behind it again. */
const damaged = (journal: string, line: number): BatchError =>
  new BatchError({
    kind: "storage",
    message: `${journal}:${line} was changed: it is no record, and answers that are paid for stand behind it`,
    hint: "Nothing was sent. Bring the journal back from a copy, or begin anew with --restart."
  })

const otherVersion = (journal: string, { journal: version, tool }: PlanRecord): BatchError =>
  new BatchError({
    kind: "storage",
    message: `${journal} was written by gemini ${tool} in form ${version}, and this one knows form ${JOURNAL_VERSION}`,
    hint: "Go on with that version, or begin anew with --restart."
  })
