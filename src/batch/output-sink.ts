/**
 * Where answers go: a file with its journal, or a stream that somebody reads at once and that cannot be gone on with;
 * and what is written beside it when the batch has ended.
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deferred, Effect, Ref, type Scope } from "effect"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { type BatchError, storageFault } from "./batch-error.ts"
import type { BatchRequest } from "./batch-request.ts"
import { effectiveKey } from "./input/batch-item.ts"
import type { InputSource } from "./input/input-source.ts"
import { isInShard } from "./input/survey.ts"
import { readJournal } from "./journal/journal-reader.ts"
import type { DoneRecord } from "./journal/journal-record.ts"
import { journalOf } from "./journal/result-store.ts"
import { rewriteOutput } from "./journal/rewrite-output.ts"
import { KeyIndex } from "./key-index.ts"
import { doneRecord, outputLine, type ResultLine } from "./result-line.ts"

export interface OutputSink {
  readonly append: (
    result: ResultLine,
    requestHash: string,
    item: { readonly ordinal: number }
  ) => Effect.Effect<DoneRecord, BatchError>
  /** Waits until the item is not too far ahead of those that were written. */
  readonly mayBegin?: (ordinal: number) => Effect.Effect<void>
  /** Nothing more comes: what waits for an earlier item is written all the same. */
  readonly finish: Effect.Effect<void, BatchError>
}

/** `write` fails where the reader has gone. */
export type WriteText = (text: string) => Effect.Effect<void, BatchError>

/** As they finish. */
export const streamSink = (format: "json" | "text", write: WriteText): Effect.Effect<OutputSink> =>
  Effect.map(Effect.makeSemaphore(1), (turn) => ({
    append: (result, hash) =>
      Effect.as(turn.withPermits(1)(write(outputLine(result, format))), doneRecord(result, hash)),
    finish: Effect.void
  }))

/** So many items may be under way or waiting for an earlier one. */
const AHEAD = 10_000

/** In the order of the input: what came too early waits on the disk, and no item begins too far ahead. */
export const orderedSink = (
  format: "json" | "text",
  write: WriteText
): Effect.Effect<OutputSink, BatchError, Scope.Scope> =>
  Effect.gen(function* () {
    const path = join(tmpdir(), `gemini-batch-${crypto.randomUUID()}`)
    const spool = yield* Effect.acquireRelease(
      Effect.try({ try: () => openSync(path, "wx+", 0o600), catch: (cause) => storageFault(path, "write", cause) }),
      (descriptor) =>
        Effect.sync(() => {
          closeSync(descriptor)
          rmSync(path, { force: true })
        })
    )
    const turn = yield* Effect.makeSemaphore(1)
    const next = yield* Ref.make(0)
    const waiting = new Map<number, { readonly offset: number; readonly length: number }>()
    const blocked: Array<{ readonly ordinal: number; readonly go: Deferred.Deferred<void> }> = []
    let end = 0

    const keep = (ordinal: number, bytes: Uint8Array) =>
      Effect.try({
        try: () => {
          for (let done = 0; done < bytes.length; )
            done += writeSync(spool, bytes, done, bytes.length - done, end + done)
          waiting.set(ordinal, { offset: end, length: bytes.length })
          end += bytes.length
        },
        catch: (cause) => storageFault(path, "write", cause)
      })

    const emit = (ordinal: number, { length, offset }: { readonly offset: number; readonly length: number }) =>
      Effect.suspend(() => {
        const bytes = Buffer.allocUnsafe(length)
        readSync(spool, bytes, 0, length, offset)
        waiting.delete(ordinal)
        // Everything was written: the place on the disk is free again.
        if (waiting.size === 0) end = 0
        return write(bytes.toString("utf8"))
      })

    const release = Effect.gen(function* () {
      for (let at = yield* Ref.get(next); ; at++) {
        const place = waiting.get(at)
        if (place === undefined) {
          yield* Ref.set(next, at)
          for (let index = blocked.length - 1; index >= 0; index--) {
            const one = blocked[index]
            if (one === undefined || one.ordinal >= at + AHEAD) continue
            blocked.splice(index, 1)
            yield* Deferred.succeed(one.go, undefined)
          }
          return
        }
        yield* emit(at, place)
      }
    })

    return {
      append: (result, hash, { ordinal }) =>
        turn
          .withPermits(1)(Effect.zipRight(keep(ordinal, Buffer.from(outputLine(result, format))), release))
          .pipe(Effect.as(doneRecord(result, hash))),
      finish: turn.withPermits(1)(
        Effect.suspend(() =>
          Effect.forEach(
            [...waiting].sort(([a], [b]) => a - b),
            ([ordinal, place]) => emit(ordinal, place),
            {
              discard: true
            }
          )
        )
      ),
      mayBegin: (ordinal) =>
        Effect.gen(function* () {
          if (ordinal < (yield* Ref.get(next)) + AHEAD) return
          const go = yield* Deferred.make<void>()
          blocked.push({ ordinal, go })
          yield* Deferred.await(go)
        })
    }
  })

/** What is written when a batch has ended: the output in the order of the input, a copy of the errors, and the report. */
export const writeClosingFiles = Effect.fnUntraced(function* (request: BatchRequest, end: BatchClosing) {
  const { errors, ordered, output } = request
  if (output !== "-") {
    if (ordered && end.isComplete) yield* writeOrdered(request, end.source)
    if (errors !== undefined) yield* writeErrors(output, errors)
  }
  yield* writeReport(request.report, end.document)
})

interface BatchClosing {
  readonly source: InputSource
  readonly document: object
  readonly isComplete: boolean
}

const writeReport = (file: string | undefined, document: object): Effect.Effect<void, BatchError> =>
  file === undefined
    ? Effect.void
    : writeFileAtomic({ file, content: `${JSON.stringify(document, null, 2)}\n` }).pipe(
        Effect.mapError(({ cause }) => storageFault(file, "write", cause)),
        Effect.asVoid
      )

/** The lines of the output that are errors, once more. */
const writeErrors = (output: string, file: string): Effect.Effect<void, BatchError> =>
  Effect.gen(function* () {
    const failed: Array<DoneRecord> = []
    yield* readJournal(journalOf(output), output, (record) => {
      if (record.status === "error") failed.push(record)
    })
    const content = yield* Effect.try({
      try: () => linesAt(output, failed),
      catch: (cause) => storageFault(output, "read", cause)
    })
    yield* Effect.mapError(writeFileAtomic({ file, content }), ({ cause }) => storageFault(file, "write", cause))
  })

const linesAt = (output: string, records: ReadonlyArray<DoneRecord>): Uint8Array => {
  const descriptor = openSync(output, "r")
  try {
    return Buffer.concat(
      records.map(({ length, offset }) => {
        const bytes = Buffer.allocUnsafe(length)
        readSync(descriptor, bytes, 0, length, offset)
        return bytes
      })
    )
  } finally {
    closeSync(descriptor)
  }
}

/** The whole output, written anew in the order of the input. */
const writeOrdered = (request: BatchRequest, source: InputSource): Effect.Effect<void, BatchError> =>
  Effect.gen(function* () {
    const keys = new KeyIndex()
    const records: Array<DoneRecord> = []
    const state = yield* readJournal(journalOf(request.output), request.output, (record) => {
      records[keys.add(record.key)] = record
    })
    if (state === undefined) return
    yield* rewriteOutput(
      request.output,
      state.plan,
      inOrder(request, source, (key) => records[keys.find(key) ?? -1])
    )
  })

function* inOrder(
  { keyField, shard }: BatchRequest,
  source: InputSource,
  recordOf: (key: string) => DoneRecord | undefined
): Generator<DoneRecord, void> {
  for (const raw of source.items()) {
    const key = effectiveKey(raw, keyField)
    const record = isInShard(key, shard) ? recordOf(key) : undefined
    if (record !== undefined) yield record
  }
}
