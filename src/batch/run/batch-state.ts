/** What is done of a batch: from its journal at the start, and from then on as answers come. */
import { Effect } from "effect"
import type { BatchError } from "../batch-error.ts"
import { type JournalState, readJournal } from "../journal/journal-reader.ts"
import type { DoneRecord } from "../journal/journal-record.ts"
import { journalOf } from "../journal/result-store.ts"
import { KeyIndex } from "../key-index.ts"
import { Totals } from "../report/totals.ts"

const SUCCEEDED = 1
const FAILED = 2

export class DoneItems {
  readonly totals = new Totals()
  private readonly keys: KeyIndex

  constructor(expected?: number) {
    this.keys = new KeyIndex(expected)
  }

  add(record: DoneRecord): void {
    this.keys.setState(this.keys.add(record.key), record.status === "success" ? SUCCEEDED : FAILED)
    this.totals.add(record)
  }

  has(key: string): boolean {
    const number = this.keys.find(key)
    return number !== undefined && this.keys.stateOf(number) !== 0
  }

  get size(): number {
    return this.keys.size
  }
}

export interface BatchState {
  readonly journal: JournalState | undefined
  readonly done: DoneItems
}

export const loadState = (output: string, expected?: number): Effect.Effect<BatchState, BatchError> =>
  Effect.suspend(() => {
    const done = new DoneItems(expected)
    return Effect.map(
      readJournal(journalOf(output), output, (record) => done.add(record)),
      (journal) => ({ journal, done })
    )
  })
