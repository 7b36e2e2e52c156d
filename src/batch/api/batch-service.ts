/**
 * The batch service of a provider behind one contract, and how its answers are read: jobs that are created, watched and
 * fetched. Counts come as texts, states under two names, and results in an order of the service's own.
 */
import { type Effect, Predicate, type Scope } from "effect"
import type { ModelError } from "../../retry/model-error.ts"

export interface BatchService {
  /** Requests of a job that may stand in its creation; absent: they are always uploaded. */
  readonly inline: { readonly bytes: number; readonly items: number } | undefined
  /** A line of the uploaded file; `index`: of the item in its job. */
  readonly requestLine: (request: { readonly key: string; readonly index: number; readonly body: string }) => string
  /** Not to be repeated when its answer is lost: the job may be there. */
  readonly create: (job: NewJob) => Effect.Effect<RemoteJob, ModelError>
  /** Its name at the service. */
  readonly upload: (path: string, name: string) => Effect.Effect<string, ModelError>
  readonly get: (id: string) => Effect.Effect<RemoteJob, ModelError>
  /** By its display name. */
  readonly find: (name: string) => Effect.Effect<RemoteJob | undefined, ModelError>
  readonly cancel: (id: string) => Effect.Effect<void, ModelError>
  /** Takes an upload away. */
  readonly forget: (file: string) => Effect.Effect<void, ModelError>
  /** What a job came to; on the disk until the scope closes. */
  readonly results: (output: JobOutput) => Effect.Effect<Iterable<JobResult>, ModelError, Scope.Scope>
  readonly cache: CacheService
}

export interface NewJob {
  readonly name: string
  /** Lines as `requestLine` made them, or the name of what was uploaded. */
  readonly input:
    | { readonly _tag: "Inline"; readonly lines: ReadonlyArray<string> }
    | { readonly _tag: "File"; readonly file: string }
}

/** Something that many requests have in common, kept by the service. */
export interface CacheService {
  readonly tokensOf: (content: CacheContent) => Effect.Effect<number, ModelError>
  readonly create: (
    content: CacheContent & { readonly name: string; readonly ttlSeconds: number }
  ) => Effect.Effect<string, ModelError>
  readonly extend: (name: string, ttlSeconds: number) => Effect.Effect<void, ModelError>
  readonly remove: (name: string) => Effect.Effect<void, ModelError>
}

export interface CacheContent {
  readonly parts: ReadonlyArray<unknown>
  readonly systemInstruction: string
}

export interface RemoteJob {
  readonly id: string
  /** `PENDING`, `RUNNING`, `SUCCEEDED`, `FAILED`, `CANCELLED`, `EXPIRED`, or what the service says besides. */
  readonly state: string
  readonly counts: JobCounts | undefined
  /** Why it failed. */
  readonly error: string | undefined
  readonly output: JobOutput | undefined
}

export interface JobCounts {
  readonly total: number
  readonly done: number
  readonly failed: number
}

export type JobOutput =
  | { readonly _tag: "Inline"; readonly results: ReadonlyArray<JobResult> }
  /** A file, or a folder of them. */
  | { readonly _tag: "File"; readonly name: string }

export interface JobResult {
  /** Of the item, or its number in the job where the service keeps no keys. */
  readonly key: string | number | undefined
  readonly response?: unknown
  readonly error?: { readonly status: number; readonly message: string }
}

/** Nothing more will come of it. */
export const hasEnded = (state: string): boolean => ENDED.has(state)

const ENDED = new Set(["SUCCEEDED", "PARTIALLY_SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"])

type Row = { readonly [name: string]: unknown }
const rowOf = (value: unknown): Row => (Predicate.isReadonlyRecord(value) ? value : {})
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
const countOf = (value: unknown): number => {
  const count = Number(value ?? 0)
  return Number.isFinite(count) && count > 0 ? count : 0
}

/** A job as the Gemini API writes it (an operation), or Vertex AI. `undefined`: it is none. */
export const jobIn = (value: unknown): RemoteJob | undefined => {
  const raw = rowOf(value)
  const id = textOf(raw.name)
  if (id === undefined) return undefined
  const told = { ...raw, ...rowOf(raw.metadata) }
  const error = rowOf(raw.error ?? told.error)
  const state = (
    textOf(told.state) ?? (raw.done === true ? (raw.error === undefined ? "SUCCEEDED" : "FAILED") : "PENDING")
  ).replace(/^(?:BATCH|JOB)_STATE_/, "")
  return { id, state, counts: countsIn(told), error: textOf(error.message), output: outputIn(told) }
}

/** The name that we gave it. */
export const displayNameIn = (value: unknown): string | undefined => {
  const raw = rowOf(value)
  return textOf(raw.displayName) ?? textOf(rowOf(raw.metadata).displayName)
}

const countsIn = (told: Row): JobCounts | undefined => {
  if (told.batchStats !== undefined) {
    const { failedRequestCount, requestCount, successfulRequestCount } = rowOf(told.batchStats)
    const failed = countOf(failedRequestCount)
    return { total: countOf(requestCount), done: countOf(successfulRequestCount) + failed, failed }
  }
  if (told.completionStats === undefined) return undefined
  const { failedCount, incompleteCount, successfulCount } = rowOf(told.completionStats)
  const failed = countOf(failedCount)
  const done = countOf(successfulCount) + failed
  return { total: done + countOf(incompleteCount), done, failed }
}

const outputIn = (told: Row): JobOutput | undefined => {
  const folder = textOf(rowOf(told.outputInfo).gcsOutputDirectory)
  if (folder !== undefined) return { _tag: "File", name: folder }
  const places = [told.output, told.response, told.dest].map(rowOf)
  const file = places.map(({ fileName, responsesFile }) => textOf(responsesFile) ?? textOf(fileName)).find(Boolean)
  if (file !== undefined) return { _tag: "File", name: file }
  const lists = places.map(({ inlinedResponses }) =>
    Array.isArray(inlinedResponses) ? inlinedResponses : rowOf(inlinedResponses).inlinedResponses
  )
  const list = lists.find((one): one is ReadonlyArray<unknown> => Array.isArray(one))
  if (list === undefined) return undefined
  const results = list.map(resultIn)
  // The order is that of the requests; where no key came back, that is all there is to go by.
  const isKeyless = results.every(({ key }) => key === undefined)
  return { _tag: "Inline", results: isKeyless ? results.map((result, index) => ({ ...result, key: index })) : results }
}

/** In the requests of Vertex AI, which gives back labels and no keys. */
export const INDEX_LABEL = "gfx-item"

/** One answer, in a file or in the job itself. */
export const resultIn = (value: unknown): JobResult => {
  const raw = rowOf(value)
  const key = keyIn(raw)
  const error = rowOf(raw.error)
  if (raw.error !== undefined && raw.error !== null) {
    return { key, error: { status: httpStatus(error), message: textOf(error.message) ?? "the service gave no reason" } }
  }
  // Vertex AI says there why a request failed.
  const status = textOf(raw.status)
  if (status !== undefined) return { key, error: { status: 400, message: status } }
  if (!Predicate.isReadonlyRecord(raw.response) || Object.keys(raw.response).length === 0) {
    return { key, error: { status: 500, message: "the service gave neither an answer nor a reason" } }
  }
  return { key, response: raw.response }
}

const keyIn = (raw: Row): JobResult["key"] => {
  const own = raw.key ?? rowOf(raw.metadata).key
  if (typeof own === "string") return own
  const label = rowOf(rowOf(raw.request).labels)[INDEX_LABEL]
  return typeof label === "string" && /^\d+$/.test(label) ? Number(label) : undefined
}

/** Errors inside of results have the codes of gRPC, or those of HTTP. */
const httpStatus = ({ code }: Row): number => {
  const number = typeof code === "number" ? code : 500
  return number >= 100 ? number : (GRPC_AS_HTTP[number] ?? 500)
}

const GRPC_AS_HTTP: Readonly<Record<number, number>> = {
  1: 499,
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  14: 503,
  16: 401
}
