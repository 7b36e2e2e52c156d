/**
 * The output and its journal. An answer is written to the output, then noted in the journal, both at once and in this
 * order; every 50 ms what was written since is forced to the disk, the output first. So the journal never speaks of an
 * answer that a lost machine took along without `readJournal` noticing, and a killed process loses nothing at all.
 */
import {
  closeSync,
  existsSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"
import { Effect, Ref, type Scope } from "effect"
import { type BatchError, storageFault } from "../batch-error.ts"
import { doneRecord, outputLine, type ResultLine } from "../result-line.ts"
import type { JournalState } from "./journal-reader.ts"
import { type DoneRecord, type JournalRecord, journalLine } from "./journal-record.ts"

export const journalOf = (output: string): string => `${output}.journal`

export interface ResultStore {
  /** Returns when the answer is in the files of the system: a kill does not take it away any more. */
  readonly append: (result: ResultLine, requestHash: string) => Effect.Effect<DoneRecord, BatchError>
  /** Returns when the records are on the disk, with everything before them: where they begin in the journal. */
  readonly note: (...records: ReadonlyArray<JournalRecord>) => Effect.Effect<number, BatchError>
  /** Everything so far is on the disk. */
  readonly sync: Effect.Effect<void, BatchError>
}

export interface StoreInput {
  readonly output: string
  readonly format: "json" | "text"
  /** What was there, as far as it is good; absent: both files begin anew. */
  readonly state: Pick<JournalState, "journalBytes" | "outputBytes"> | undefined
}

const SYNC_EVERY = "50 millis"

/** What is open is closed with the scope, after a last sync. */
export const openStore = (input: StoreInput): Effect.Effect<ResultStore, BatchError, Scope.Scope> =>
  Effect.gen(function* () {
    const journal = journalOf(input.output)
    const out = yield* openAt(input.output, input.state?.outputBytes ?? 0)
    const log = yield* openAt(journal, input.state?.journalBytes ?? 0)
    yield* Effect.try({
      try: () => syncFolderOf(input.output),
      catch: (cause) => storageFault(input.output, "write", cause)
    })
    /** Open while something was written that is not on the disk. */
    const dirty = yield* Effect.makeLatch(false)
    let isDirty = false
    const broken = yield* Ref.make<BatchError | undefined>(undefined)
    const turn = yield* Effect.makeSemaphore(1)

    /** After a write that failed nothing more is written: the place of what follows would be wrong. */
    const guarded = <A>(path: string, write: () => A): Effect.Effect<A, BatchError> =>
      Effect.gen(function* () {
        const before = yield* Ref.get(broken)
        if (before !== undefined) return yield* before
        return yield* Effect.try({ try: write, catch: (cause) => storageFault(path, "write", cause) }).pipe(
          Effect.tapError((error) => Ref.set(broken, error))
        )
      })

    const append = (result: ResultLine, requestHash: string) =>
      guarded(input.output, () => {
        const bytes = Buffer.from(outputLine(result, input.format))
        const offset = out.write(bytes)
        const done = doneRecord(result, requestHash, { offset, length: bytes.length, sum: Bun.hash.crc32(bytes) })
        log.write(Buffer.from(journalLine(done)))
        return done
      }).pipe(
        Effect.tap(() => {
          isDirty = true
          return dirty.open
        })
      )

    const syncNow = Effect.gen(function* () {
      const before = yield* Ref.get(broken)
      if (before !== undefined) return yield* before
      if (!isDirty) return
      isDirty = false
      yield* dirty.close
      const bytes = out.end()
      yield* synced(out.descriptor, input.output)
      yield* guarded(journal, () => log.write(Buffer.from(journalLine({ t: "synced", bytes }))))
      yield* synced(log.descriptor, journal)
    }).pipe(Effect.tapError((error) => Ref.set(broken, error)))
    // An interruption between the two would leave the journal behind the output: harmless, but then nothing was synced.
    const sync = Effect.uninterruptible(turn.withPermits(1)(syncNow))
    const note = (...records: ReadonlyArray<JournalRecord>) =>
      Effect.uninterruptible(
        turn.withPermits(1)(
          Effect.gen(function* () {
            yield* syncNow
            const at = yield* guarded(journal, () => log.write(Buffer.from(records.map(journalLine).join(""))))
            yield* synced(log.descriptor, journal)
            return at
          })
        )
      )
    // Nothing is awake where nothing is written: a batch may wait for days.
    yield* Effect.forkScoped(
      Effect.forever(dirty.await.pipe(Effect.zipRight(Effect.sleep(SYNC_EVERY)), Effect.zipRight(Effect.ignore(sync))))
    )
    yield* Effect.addFinalizer(() => Effect.ignore(sync))
    return { append, note, sync }
  })

/** `fsync` waits for the disk, and other items go on meanwhile. */
const synced = (descriptor: number, path: string): Effect.Effect<void, BatchError> =>
  Effect.async((resume) => {
    fsync(descriptor, (error) =>
      // Pipes and some mounted folders have nothing to sync.
      resume(
        error === null || error.code === "EINVAL" || error.code === "ENOTSUP"
          ? Effect.void
          : storageFault(path, "write", error)
      )
    )
  })

interface Appender {
  readonly descriptor: number
  readonly end: () => number
  /** All of it, or nothing that counts: where it began. */
  readonly write: (bytes: Uint8Array) => number
}

/** What stands behind `bytes` was cut off, and is removed. */
const openAt = (path: string, bytes: number): Effect.Effect<Appender, BatchError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const stat = statSync(path, { throwIfNoEntry: false })
        if (stat !== undefined && !stat.isFile()) {
          throw Object.assign(new Error(path), {
            code: stat.isDirectory() ? "EISDIR" : "it is no regular file; - is standard output"
          })
        }
        const descriptor = openSync(path, existsSync(path) ? "r+" : "w+")
        ftruncateSync(descriptor, bytes)
        return descriptor
      },
      catch: (cause) => storageFault(path, "write", cause)
    }),
    (descriptor) => Effect.sync(() => closeSync(descriptor))
  ).pipe(
    Effect.map((descriptor) => {
      let end = bytes
      return {
        descriptor,
        end: () => end,
        write: (added) => {
          const from = end
          try {
            for (let done = 0; done < added.length; ) {
              done += writeSync(descriptor, added, done, added.length - done, from + done)
            }
          } catch (error) {
            // A full disk took a part of it.
            ftruncateSync(descriptor, from)
            throw error
          }
          end = from + added.length
          return from
        }
      }
    })
  )

/** A name is on the disk when its folder is. */
export const syncFolderOf = (path: string): void => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(dirname(path), "r")
    fsyncSync(descriptor)
  } catch {
    // Some file systems cannot sync a folder.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** The files of a batch that is begun anew are kept under other names, once. */
export const setAside = (output: string): Effect.Effect<void, BatchError> =>
  Effect.try({
    try: () => {
      for (const path of [output, journalOf(output)]) {
        if (!existsSync(path)) continue
        rmSync(`${path}.1`, { force: true })
        renameSync(path, `${path}.1`)
      }
      syncFolderOf(output)
    },
    catch: (cause) => storageFault(output, "write", cause)
  })
