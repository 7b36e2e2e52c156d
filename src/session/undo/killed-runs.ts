/**
 * Runs whose process was killed while a call ran that may have changed anything. The last look through the workspace
 * was the one before that call: what the next look finds is what the call did, and maybe others since.
 */
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { type RecordedRun, readRun } from "./read-run.ts"
import type { TreeChange } from "./refresh-tree.ts"
import { JOURNAL_FILE, openRun } from "./run-journal.ts"
import type { Snapshots } from "./snapshots.ts"
import type { UndoStore } from "./undo-store.ts"

/** Only the newest runs can be concerned: every later run settles those before it. */
const NEWEST = 4

export const killedRuns = ({ runs }: UndoStore): ReadonlyArray<RecordedRun> => {
  if (!existsSync(runs)) return []
  const changedAt = (name: string): number =>
    statSync(join(runs, name, JOURNAL_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return readdirSync(runs)
    .sort((one, other) => changedAt(other) - changedAt(one))
    .slice(0, NEWEST)
    .flatMap((name) => readRun(join(runs, name)) ?? [])
    .filter((run) => !run.isGoingOn && openCallOf(run) !== undefined)
}

const openCallOf = ({ calls }: RecordedRun) => calls.find(({ isOpen, paths }) => isOpen && paths === undefined)

/** Throws where the journal cannot be written. */
export const settleKilledRun = (
  { key }: UndoStore,
  run: RecordedRun,
  found: ReadonlyArray<TreeChange>,
  snapshots: Snapshots,
  at: number
): void => {
  const open = openCallOf(run)
  if (open === undefined) return
  const journal = openRun(run.folder, run.id, key())
  try {
    const changes = found.map((change) => snapshots.keep(journal, change))
    journal.append({ _tag: "ended", call: open.call, at, changes, isUncertain: true })
  } finally {
    journal.close()
  }
}
