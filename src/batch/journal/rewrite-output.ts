/**
 * The output written anew: without answers that are asked for again, without keys that are gone, or in the order of the
 * input. A new journal that says so takes the place of the old one in a single rename; from then on the new output counts,
 * and a start that finds it not yet in its place moves it there.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { type BatchError, storageFault } from "../batch-error.ts"
import { type DoneRecord, journalLine, type PlanRecord } from "./journal-record.ts"
import { journalOf, syncFolderOf } from "./result-store.ts"

const COPY_BYTES = 1024 * 1024

/** Never the same name twice: what a rewriting left behind that was cut short is not taken for this one's. */
const newOutputOf = (output: string): string => `${output}.new-${crypto.randomUUID().slice(0, 8)}`

/** `kept`: in the order in which they are to stand. */
export const rewriteOutput = (
  output: string,
  plan: PlanRecord,
  kept: Iterable<DoneRecord>
): Effect.Effect<void, BatchError> =>
  Effect.try({
    try: () => {
      clearLeftovers(output)
      const moved = newOutputOf(output)
      const journal = `${journalOf(output)}.new`
      const from = existsSync(output) ? openSync(output, "r") : undefined
      const to = openSync(moved, "w")
      const log = openSync(journal, "w")
      try {
        const answers = makeBuffer(to)
        const records = makeBuffer(log)
        records.add(Buffer.from(journalLine({ ...plan, moves: resolve(moved) })))
        for (const record of kept) {
          const offset = answers.total()
          const bytes = Buffer.allocUnsafe(record.length)
          if (from !== undefined && record.length > 0) readSync(from, bytes, 0, record.length, record.offset)
          answers.add(bytes)
          records.add(Buffer.from(journalLine({ ...record, offset })))
        }
        answers.flush()
        fsyncSync(to)
        records.add(Buffer.from(journalLine({ t: "synced", bytes: answers.total() })))
        records.flush()
        fsyncSync(log)
      } finally {
        for (const descriptor of [from, to, log]) if (descriptor !== undefined) closeSync(descriptor)
      }
      renameSync(journal, journalOf(output))
      syncFolderOf(output)
      renameSync(moved, output)
      syncFolderOf(output)
    },
    catch: (cause) => storageFault(output, "write", cause)
  })

/** Completes a rewriting that was cut short between its two renames. */
export const finishRewrite = (output: string, { moves }: PlanRecord): Effect.Effect<void, BatchError> =>
  Effect.try({
    try: () => {
      if (moves === undefined || !existsSync(moves)) return
      renameSync(moves, output)
      syncFolderOf(output)
    },
    catch: (cause) => storageFault(output, "write", cause)
  })

const clearLeftovers = (output: string): void => {
  const begins = `${basename(output)}.new-`
  for (const name of readdirSync(dirname(output))) if (name.startsWith(begins)) rmSync(join(dirname(output), name))
}

const makeBuffer = (descriptor: number) => {
  let waiting: Array<Uint8Array> = []
  let bytes = 0
  let total = 0
  const flush = () => {
    const all = Buffer.concat(waiting)
    for (let done = 0; done < all.length; ) done += writeSync(descriptor, all, done)
    waiting = []
    bytes = 0
  }
  return {
    flush,
    total: () => total,
    add: (added: Uint8Array) => {
      waiting.push(added)
      bytes += added.length
      total += added.length
      if (bytes >= COPY_BYTES) flush()
    }
  }
}
