/**
 * Looks through the workspace, each time saying what differs from the look before. Made at the first call that may
 * change anything, and kept for the process.
 */
import { Clock, Effect, type Scope } from "effect"
import type { StorageError } from "../../system/storage-error.ts"
import { type Cover, coverOf } from "./cover.ts"
import { ABSENT, NotCovered } from "./file-state.ts"
import { acknowledge, refreshTree, type TreeChange, type TreeLimits } from "./refresh-tree.ts"
import type { FileChange, RunJournal } from "./run-journal.ts"
import { openTreeCache, type TreeCache } from "./tree-cache.ts"
import { undoStore } from "./undo-store.ts"

export interface SnapshotOptions {
  /** `~/.gemini/history/<project>` */
  readonly historyDir: Effect.Effect<string, StorageError>
  /** Real paths of the workspace folders, as it is now. */
  readonly roots: Effect.Effect<ReadonlyArray<string>>
  /** `~/.gemini` */
  readonly ownData: string
  readonly limits: TreeLimits
}

export interface LookOptions {
  /** The first look of a run settles which ignore rules hold for it. */
  readonly isFirst: boolean
  readonly maxMs?: number | undefined
}

export interface Snapshots {
  readonly look: (options: LookOptions) => Effect.Effect<ReadonlyArray<TreeChange>, NotCovered>
  /**
   * What was found is recorded: the next process goes on from here. Not before: after a kill the same look must find
   * the same again.
   */
  readonly save: Effect.Effect<void>
  /** These changes are recorded already. */
  readonly acknowledge: (paths: ReadonlyArray<string>) => Effect.Effect<void>
  /** A change with the content before it kept in the journal of its run. */
  readonly keep: (journal: RunJournal, change: TreeChange) => FileChange
}

export const makeSnapshots = Effect.fn("Undo.makeSnapshots")(function* (
  options: SnapshotOptions
): Effect.fn.Return<Snapshots, NotCovered, Scope.Scope> {
  const folder = yield* Effect.mapError(options.historyDir, ({ message }) => new NotCovered({ why: message }))
  const cache = yield* openTreeCache(undoStore(folder))
  let covers: ReadonlyArray<Cover> = []
  return {
    look: Effect.fnUntraced(function* ({ isFirst, maxMs }) {
      if (isFirst) covers = (yield* options.roots).map((root) => coverOf(root, options.ownData))
      const limits = maxMs === undefined ? options.limits : { ...options.limits, maxMs }
      return yield* refreshTree({ cache, covers, limits, isFirst })
    }),
    // A cache that cannot be kept costs the next run time, and this one nothing.
    save: Effect.ignore(Effect.try(() => cache.save())),
    acknowledge: Effect.fnUntraced(function* (paths) {
      const now = yield* Clock.currentTimeMillis
      for (const path of paths) acknowledge(cache, path, now)
    }),
    keep: (journal, change) => keepBefore(cache, journal, change)
  }
})

const keepBefore = (cache: TreeCache, journal: RunJournal, { after, before, path }: TreeChange): FileChange => {
  const change = { path, before: before?.state ?? ABSENT, after: after?.state ?? ABSENT }
  if (before?.place === undefined || !("hash" in before.state)) return change
  const { place: cached, state } = before
  try {
    const place = journal.keep(state.hash, () => cache.contents.read(cached))
    return place === undefined ? change : { ...change, place }
  } catch {
    // The cache is damaged here: the change is still known, and undoing says that the content is lost.
    return change
  }
}
