/**
 * Runs whose process was killed while a call ran that may have changed anything. The last look through the workspace
 * was the one before that call: what the next look finds is what the call did, and maybe others since.
 */
import { type RecordedRun, readRun, readRunHeads } from "./read-run.ts"
import type { TreeChange } from "./refresh-tree.ts"
import { openRun } from "./run-journal.ts"
import type { Snapshots } from "./snapshots.ts"
import type { UndoStore } from "./undo-store.ts"

export const killedRuns = ({ runs }: UndoStore): ReadonlyArray<RecordedRun> =>
  readRunHeads(runs)
    .filter(({ hasOpenCall, isGoingOn, pid }) => hasOpenCall && !isGoingOn && pid !== process.pid)
    .map(readRun)
    .filter((run) => openCallOf(run) !== undefined)

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
