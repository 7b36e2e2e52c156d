/**
 * The run that is recorded now: its journal, its calls under way, and what is known of its cover. Where one begins,
 * old ones go.
 */

import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { startOf } from "../../system/process-identity.ts"
import { statOrNone } from "../../system/regular-file.ts"
import type { JournaledRun } from "./change-journal.ts"
import { type NotCovered, written } from "./file-state.ts"
import { sizeOfRun } from "./read-run.ts"
import { createRun, JOURNAL_FILE, type RunJournal } from "./run-journal.ts"
import type { UndoStore } from "./undo-store.ts"

export interface OpenRun {
  readonly facts: JournaledRun
  readonly journal: RunJournal
  calls: number
  /** Calls that may change anything and are under way. */
  readonly active: Set<number>
  /** The workspace was looked through: what the next look finds happened since. */
  hasLooked: boolean
  /** Why the workspace cannot be looked through; it is not tried again. */
  obstacle: NotCovered | undefined
  /** Nothing more is recorded; what went on until then was looked at. */
  isClosed: boolean
}

export interface RecordedRunOptions {
  /** Id of the session that is recorded now. */
  readonly session: Effect.Effect<string>
  /** Real paths of the workspace folders, as it is now. */
  readonly roots: Effect.Effect<ReadonlyArray<string>>
  readonly retention: RetentionLimits
  /** Takes secrets out of what is recorded for people. File contents are kept as they are. */
  readonly clean: (text: string) => string
}

/** Old runs make room for it. */
export const openNewRun = Effect.fnUntraced(function* (
  store: UndoStore,
  facts: JournaledRun,
  options: RecordedRunOptions
) {
  const at = yield* Clock.currentTimeMillis
  const session = yield* options.session
  const roots = yield* options.roots
  const { pid } = process
  const journal = yield* written(() => {
    pruneRuns(store.runs, options.retention, at)
    const title = titleOf(options.clean(facts.title))
    return createRun(store, { session, title, at, roots, pid, started: startOf(pid) })
  })
  const run: OpenRun = {
    facts,
    journal,
    calls: 0,
    active: new Set(),
    hasLooked: false,
    obstacle: undefined,
    isClosed: false
  }
  return run
})

const MAX_TITLE_CHARS = 200

/** One line of bearable length. */
export const titleOf = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS - 3)}...` : line
}

export interface RetentionLimits {
  readonly maxAgeMs: number
  /** Of all runs of a project together. */
  readonly maxBytes: number
}

/** Old runs go: those past an age, and the oldest of too many bytes. A folder that cannot be read as a run stays. */
const pruneRuns = (runsFolder: string, { maxAgeMs, maxBytes }: RetentionLimits, now: number): void => {
  if (!existsSync(runsFolder)) return
  const runs = readdirSync(runsFolder)
    .flatMap((name) => {
      const folder = join(runsFolder, name)
      const stat = statOrNone(join(folder, JOURNAL_FILE))
      return stat === undefined ? [] : [{ folder, lastMs: stat.mtimeMs, bytes: sizeOfRun(folder) }]
    })
    .sort((one, other) => other.lastMs - one.lastMs)
  let kept = 0
  for (const { bytes, folder, lastMs } of runs) {
    kept += bytes
    if (now - lastMs > maxAgeMs || kept > maxBytes) rmSync(folder, { recursive: true, force: true })
  }
}
