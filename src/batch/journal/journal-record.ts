/**
 * The lines of a journal. What stands in it is known to be on the disk together with what it speaks of; lines are checked
 * by hand, because a journal has as many as the batch has items.
 */
import { Predicate } from "effect"

/** What a batch was begun with. What changes an answer stands in `options`, by the name that people know. */
export interface BatchPlan {
  readonly options: Readonly<Record<string, string>>
  readonly input: { readonly name: string; readonly fingerprint: string; readonly items: number }
  readonly format: "json" | "text"
  readonly shard?: { readonly index: number; readonly count: number }
  /** Items of this output: of the shard, where there is one. */
  readonly items: number
}

export interface PlanRecord {
  readonly t: "plan"
  readonly journal: number
  readonly tool: string
  readonly created: string
  readonly plan: BatchPlan
  /** The output was written anew beside its place, under this name, and has to be moved there. */
  readonly moves?: string
}

/** An answer that stands in the output. */
export interface DoneRecord {
  readonly t: "done"
  readonly key: string
  readonly request_hash: string
  readonly offset: number
  readonly length: number
  /** Of the line, to tell whether it reached the disk. */
  readonly sum: number
  readonly status: "success" | "error"
  /** In US dollars; `null` where no price is known. */
  readonly cost: number | null
  readonly tokens: number
  readonly duration_ms: number
  readonly attempt: number
  readonly model?: string
  readonly tier?: string
  /** Why it failed. */
  readonly cause?: string
}

/** Everything up to this length of the output is on the disk. */
export interface SyncedRecord {
  readonly t: "synced"
  readonly bytes: number
}

/** Items that go into one job of the batch service, in pieces: written before the job is reserved. */
export interface ItemsRecord {
  readonly t: "items"
  /** The display name of the job. */
  readonly name: string
  readonly items: ReadonlyArray<JobItem>
}

export type JobItem = readonly [key: string, requestHash: string]

/** A job of the batch service: written before it is created, so that it is found again. */
export interface ReservedRecord {
  readonly t: "reserved"
  readonly job: number
  /** Its display name, which no other job has. */
  readonly name: string
  readonly items: number
  readonly at: string
  /** What it will come to, as far as that can be said. */
  readonly estimate: Estimate
}

export interface Estimate {
  readonly usd: number
  readonly tokens: number
}

/** What became of a job. `COLLECTED`: nothing more is to be had of it. */
export interface JobRecord {
  readonly t: "job"
  readonly job: number
  readonly state: string
  readonly id?: string
  /** The requests, where they were uploaded. */
  readonly file?: string
  readonly at: string
}

/** Items that a job did not answer and that are asked live: they go into no other job. */
export interface ReroutedRecord {
  readonly t: "rerouted"
  readonly keys: ReadonlyArray<string>
}

/** What all items have in common, kept by the service; `gone`: it is not any more. */
export interface CacheRecord {
  readonly t: "cache"
  readonly name: string
  readonly digest: string
  readonly gone?: boolean
}

export interface EndRecord {
  readonly t: "end"
  readonly reason: string
  readonly at: string
}

export type JournalRecord =
  | PlanRecord
  | DoneRecord
  | SyncedRecord
  | ItemsRecord
  | ReservedRecord
  | JobRecord
  | ReroutedRecord
  | CacheRecord
  | EndRecord

/** Raised when an older program could not read what is written. */
export const JOURNAL_VERSION = 1

export const journalLine = (record: JournalRecord): string => `${JSON.stringify(record)}\n`

/** `undefined`: no line of a journal, or cut off. */
export const journalRecord = (line: string): JournalRecord | undefined => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!Predicate.isRecord(value)) return undefined
  switch (value.t) {
    case "done":
      return isDone(value) ? value : undefined
    case "synced":
      return typeof value.bytes === "number" ? { t: "synced", bytes: value.bytes } : undefined
    case "plan":
      return isPlan(value) ? value : undefined
    case "items":
      return isItems(value) ? value : undefined
    case "rerouted":
      return isTexts(value.keys) ? { t: "rerouted", keys: value.keys } : undefined
    case "cache":
      return isCache(value) ? value : undefined
    case "reserved":
      return isReserved(value) ? value : undefined
    case "job":
      return isJob(value) ? value : undefined
    case "end":
      return isEnd(value) ? value : undefined
    default:
      return undefined
  }
}

type Row = { readonly [name: string]: unknown }

const isDone = (value: Row): value is Row & DoneRecord =>
  typeof value.key === "string" &&
  typeof value.request_hash === "string" &&
  typeof value.offset === "number" &&
  typeof value.length === "number" &&
  typeof value.sum === "number" &&
  (value.status === "success" || value.status === "error")

const isPlan = (value: Row): value is Row & PlanRecord =>
  typeof value.journal === "number" &&
  Predicate.isRecord(value.plan) &&
  Predicate.isRecord(value.plan.options) &&
  Predicate.isRecord(value.plan.input) &&
  typeof value.plan.items === "number"

const isReserved = (value: Row): value is Row & ReservedRecord =>
  typeof value.job === "number" &&
  typeof value.name === "string" &&
  Predicate.isRecord(value.estimate) &&
  typeof value.estimate.usd === "number" &&
  typeof value.estimate.tokens === "number"

const isItems = (value: Row): value is Row & ItemsRecord =>
  typeof value.name === "string" && Array.isArray(value.items) && value.items.every(isTexts)

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const isCache = (value: Row): value is Row & CacheRecord =>
  typeof value.name === "string" && typeof value.digest === "string"

const isJob = (value: Row): value is Row & JobRecord => typeof value.job === "number" && typeof value.state === "string"

const isEnd = (value: Row): value is Row & EndRecord => typeof value.reason === "string"
