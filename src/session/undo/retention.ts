/** Old runs go: those past an age, and the oldest of too many bytes. A folder that cannot be read as a run stays. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { sizeOfRun } from "./read-run.ts"
import { JOURNAL_FILE } from "./run-journal.ts"

export interface RetentionLimits {
  readonly maxAgeMs: number
  /** Of all runs of a project together. */
  readonly maxBytes: number
}

export const pruneRuns = (runsFolder: string, { maxAgeMs, maxBytes }: RetentionLimits, now: number): void => {
  if (!existsSync(runsFolder)) return
  const runs = readdirSync(runsFolder)
    .flatMap((name) => {
      const folder = join(runsFolder, name)
      const stat = statSync(join(folder, JOURNAL_FILE), { throwIfNoEntry: false })
      return stat === undefined ? [] : [{ folder, lastMs: stat.mtimeMs, bytes: sizeOfRun(folder) }]
    })
    .sort((one, other) => other.lastMs - one.lastMs)
  let kept = 0
  for (const { bytes, folder, lastMs } of runs) {
    kept += bytes
    if (now - lastMs > maxAgeMs || kept > maxBytes) rmSync(folder, { recursive: true, force: true })
  }
}
