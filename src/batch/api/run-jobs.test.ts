import { describe, expect } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Duration, Effect, Either, Exit, Fiber, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import { ModelError } from "../../retry/model-error.ts"
import { fileSource } from "../input/input-source.ts"
import { readJournal } from "../journal/journal-reader.ts"
import { JOURNAL_VERSION } from "../journal/journal-record.ts"
import { journalOf, openStore } from "../journal/result-store.ts"
import { DoneItems } from "../run/batch-state.ts"
import type { BatchService, JobResult, NewJob, RemoteJob } from "./batch-service.ts"
import { jobIn, resultIn } from "./batch-service.ts"
import { JobBook } from "./job-book.ts"
import { runJobs } from "./run-jobs.ts"

const fault = (fields: Partial<ConstructorParameters<typeof ModelError>[0]>) =>
  new ModelError({ kind: "unavailable", detail: "down", phase: "open", errorType: "X", status: 503, ...fields })

interface Script {
  readonly create?: (count: number) => ModelError | "lost" | undefined
  readonly get?: (looks: number, job: RemoteJob) => ModelError | RemoteJob
  readonly listed?: (name: string) => boolean
}

/** A service in memory: a job ends at its first look, unless the script says otherwise. */
const serviceOf = (script: Script) => {
  const jobs: Array<RemoteJob & { readonly name: string }> = []
  const asked = { create: 0, get: 0, find: 0 }
  const service: BatchService = {
    inline: { bytes: 1e6, items: 1e6 },
    requestLine: ({ body, key }) => `${JSON.stringify({ key, request: body })}\n`,
    create: ({ input, name }: NewJob) =>
      Effect.suspend(() => {
        asked.create += 1
        const how = script.create?.(asked.create)
        if (how instanceof ModelError) return how
        const lines = input._tag === "Inline" ? input.lines : []
        const results = lines.map((line): JobResult => {
          const { key, request } = JSON.parse(line) as { readonly key: string; readonly request: string }
          return { key, response: { candidates: [{ content: { parts: [{ text: request }] }, finishReason: "STOP" }] } }
        })
        const output = { _tag: "Inline", results } as const
        const job = {
          id: `batches/${jobs.length}`,
          name,
          state: "SUCCEEDED",
          counts: undefined,
          error: undefined,
          output
        }
        jobs.push(job)
        return how === "lost" ? fault({ kind: "network", errorType: "ECONNRESET" }) : Effect.succeed(job)
      }),
    upload: () => Effect.succeed("files/1"),
    get: (id) =>
      Effect.suspend(() => {
        asked.get += 1
        const job = jobs.find((one) => one.id === id)
        if (job === undefined) return fault({ status: 404, kind: "not-found" })
        const said = script.get?.(asked.get, job) ?? job
        return said instanceof ModelError ? said : Effect.succeed(said)
      }),
    find: (name) =>
      Effect.sync(() => {
        asked.find += 1
        return script.listed?.(name) === false ? undefined : jobs.find((one) => one.name === name)
      }),
    cancel: () => Effect.void,
    forget: () => Effect.void,
    results: (output) => Effect.succeed(output._tag === "Inline" ? output.results : []),
    cache: {
      tokensOf: () => Effect.succeed(0),
      create: () => Effect.succeed(""),
      extend: () => Effect.void,
      remove: () => Effect.void
    }
  }
  return { service, jobs, asked }
}

/** A process: it goes on from what the journal says, and may be interrupted. */
const processOf = (service: BatchService, folder: string, count: number, perJob = 1000) =>
  Effect.scoped(
    Effect.gen(function* () {
      const input = join(folder, "in.jsonl")
      writeFileSync(
        input,
        Array.from({ length: count }, (_, index) => `{"id":"k${index}","prompt":"p${index}"}\n`).join("")
      )
      const output = join(folder, "out.jsonl")
      const done = new DoneItems()
      const state = yield* readJournal(journalOf(output), output, (record) => done.add(record))
      const store = yield* openStore({ output, format: "json", state })
      if (state === undefined) {
        yield* store.note({
          t: "plan",
          journal: JOURNAL_VERSION,
          tool: "test",
          created: "2026-01-01T00:00:00Z",
          plan: { options: {}, input: { name: "in", fingerprint: "f", items: count }, format: "json", items: count }
        })
      }
      const write = (line: Parameters<typeof store.append>[0], hash: string) =>
        Effect.map(store.append(line, hash), (record) => done.add(record))
      const end = yield* runJobs({
        service,
        book: new JobBook(state?.jobs ?? [], journalOf(output), store.note),
        reader: {
          model: "m",
          contract: undefined,
          priceOf: () => undefined,
          outcomeOf: (exit) => ({
            completionReason: "api",
            exitCode: 1,
            failure: { type: "Error", message: Exit.isFailure(exit) ? String(exit.cause) : "", help: "unavailable" }
          }),
          earlierAttempts: () => 0
        },
        done,
        note: store.note,
        source: yield* fileSource(input, "jsonl"),
        options: { keyField: undefined, template: undefined, fileField: undefined },
        shard: undefined,
        rerouted: new Set(),
        requestOf: ({ prompt }) => Either.right({ body: JSON.stringify(prompt), hash: prompt }),
        onFault: () => Effect.void,
        append: write,
        estimate: () => ({ usd: 0, tokens: 0 }),
        limit: () => undefined,
        limits: { items: perJob, bytes: 1e9 },
        spool: `${output}.requests`,
        reroutes: false,
        say: () => Effect.void,
        waitsForQuota: false,
        waiting: () => Effect.void,
        isCancelled: Effect.succeed(false),
        cancelled: Effect.never,
        poll: undefined,
        detached: false
      })
      return { end, done: done.totals.all, keys: Array.from({ length: count }, (_, index) => done.has(`k${index}`)) }
    })
  )

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gemini-jobs-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** Lets virtual time pass until the process has ended; files are read and written in real time meanwhile. */
const untilEnd = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, step: Duration.DurationInput = "5 seconds") =>
  Effect.gen(function* () {
    for (;;) {
      const ended = yield* fiber.poll
      if (ended._tag === "Some") return yield* ended.value
      yield* TestClock.adjust(step)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
  })

describe("jobs", () => {
  it.effect("take so many items each, and all of them are answered", () =>
    Effect.gen(function* () {
      const { asked, service } = serviceOf({})
      const fiber = yield* Effect.fork(processOf(service, yield* folder, 10, 4))
      expect((yield* untilEnd(fiber)).done).toMatchObject({ items: 10, failed: 0 })
      expect(asked.create).toBe(3)
    })
  )

  it.effect("whose creation was lost are found again; those that were never made are made after a minute", () =>
    Effect.gen(function* () {
      const lost = serviceOf({ create: (count) => (count === 1 ? "lost" : undefined) })
      yield* untilEnd(yield* Effect.fork(processOf(lost.service, yield* folder, 3)))
      expect(lost.asked).toMatchObject({ create: 1 })
      const never = serviceOf({ create: (count) => (count === 1 ? fault({}) : undefined) })
      const fiber = yield* Effect.fork(processOf(never.service, yield* folder, 3))
      while (never.asked.find === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("50 seconds")
      expect(never.asked.create).toBe(1)
      expect((yield* untilEnd(fiber)).done.items).toBe(3)
      expect(never.asked.create).toBe(2)
    })
  )

  it.effect("appear late in the list, and are not made twice", () =>
    Effect.gen(function* () {
      let looks = 0
      const late = serviceOf({ create: () => "lost", listed: () => ++looks > 6 })
      yield* untilEnd(yield* Effect.fork(processOf(late.service, yield* folder, 2)))
      expect(late.asked.create).toBe(1)
    })
  )

  it.effect("that nobody can be asked about for an hour are asked about after it", () =>
    Effect.gen(function* () {
      const down = serviceOf({ get: (looks, job) => (looks <= 65 ? fault({ status: 500 }) : job) })
      const end = yield* untilEnd(yield* Effect.fork(processOf(down.service, yield* folder, 2)), "1 minute")
      expect(end.done).toMatchObject({ items: 2, failed: 0 })
    })
  )

  it.effect("that disappear leave their items as errors", () =>
    Effect.gen(function* () {
      const gone = serviceOf({ get: () => fault({ status: 404, kind: "not-found" }), listed: () => false })
      const end = yield* untilEnd(yield* Effect.fork(processOf(gone.service, yield* folder, 2)))
      expect(end.done).toMatchObject({ items: 2, failed: 2 })
    })
  )

  it.effect("are one each, however often the program is ended at the wrong moment", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const running = serviceOf({
        get: (looks, job) => (looks < 9 ? { ...job, state: "RUNNING", output: undefined } : job)
      })
      for (let turn = 0; turn < 6; turn++) {
        const fiber = yield* Effect.fork(processOf(running.service, place, 8, 3))
        for (let step = 0; step < turn * 7; step++)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* Fiber.interrupt(fiber)
      }
      const end = yield* untilEnd(yield* Effect.fork(processOf(running.service, place, 8, 3)))
      expect(end.keys.every(Boolean)).toBe(true)
      expect(new Set(running.jobs.map(({ name }) => name)).size).toBe(running.jobs.length)
      expect(running.jobs).toHaveLength(3)
    })
  )
})

describe("what the service says", () => {
  it.effect("is read in each of its forms", () =>
    Effect.sync(() => {
      expect(
        jobIn({
          name: "batches/1",
          metadata: {
            state: "BATCH_STATE_RUNNING",
            batchStats: { requestCount: "9", successfulRequestCount: "3", failedRequestCount: "1" }
          }
        })
      ).toMatchObject({ id: "batches/1", state: "RUNNING", counts: { total: 9, done: 4, failed: 1 } })
      expect(jobIn({ name: "batches/1", done: true, response: { responsesFile: "files/x" } })).toMatchObject({
        state: "SUCCEEDED",
        output: { _tag: "File", name: "files/x" }
      })
      expect(jobIn({ name: "x", state: "JOB_STATE_FAILED", error: { message: "why" } })).toMatchObject({
        state: "FAILED",
        error: "why"
      })
      expect(
        jobIn({
          name: "b",
          done: true,
          metadata: { output: { inlinedResponses: { inlinedResponses: [{ response: { a: 1 } }] } } }
        })?.output
      ).toEqual({ _tag: "Inline", results: [{ key: 0, response: { a: 1 } }] })
      expect(jobIn({})).toBeUndefined()
      expect(resultIn({ key: "a", error: { code: 8, message: "m" } })).toEqual({
        key: "a",
        error: { status: 429, message: "m" }
      })
      expect(resultIn({ request: { labels: { "gfx-item": "4" } }, status: "", response: { a: 1 } })).toEqual({
        key: 4,
        response: { a: 1 }
      })
      expect(resultIn({ request: {}, status: "Bad Request", response: {} })).toMatchObject({
        key: undefined,
        error: { message: "Bad Request" }
      })
      expect(resultIn("no object")).toMatchObject({ key: undefined })
    })
  )
})
