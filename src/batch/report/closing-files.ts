/** What is written when a batch has ended: the report, a copy of the errors, and the output in the order of the input. */
import { closeSync, openSync, readSync } from "node:fs"
import { Effect } from "effect"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { type BatchError, storageFault } from "../batch-error.ts"
import type { BatchRequest } from "../batch-request.ts"
import { effectiveKey } from "../input/batch-item.ts"
import type { InputSource } from "../input/input-source.ts"
import { isInShard } from "../input/survey.ts"
import { readJournal } from "../journal/journal-reader.ts"
import type { DoneRecord } from "../journal/journal-record.ts"
import { journalOf } from "../journal/result-store.ts"
import { rewriteOutput } from "../journal/rewrite-output.ts"
import { KeyIndex } from "../key-index.ts"

export const writeReport = (file: string | undefined, document: object): Effect.Effect<void, BatchError> =>
  file === undefined
    ? Effect.void
    : writeFileAtomic({ file, content: `${JSON.stringify(document, null, 2)}\n` }).pipe(
        Effect.mapError(({ cause }) => storageFault(file, "write", cause)),
        Effect.asVoid
      )

/** The lines of the output that are errors, once more. */
export const writeErrors = (output: string, file: string): Effect.Effect<void, BatchError> =>
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
export const writeOrdered = (request: BatchRequest, source: InputSource): Effect.Effect<void, BatchError> =>
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
