/**
 * Takes back what runs changed: lists them, plans, carries out. The sub-command and the slash command both stand on it.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { StorageError } from "../../system/storage-error.ts"
import { applyUndo, type UndoResult } from "./apply-undo.ts"
import { seeFile } from "./file-state.ts"
import { killedRuns, settleKilledRun } from "./killed-runs.ts"
import { type RecordedRun, readRun, readRunHeads } from "./read-run.ts"
import { isUndone, selectRuns } from "./select-runs.ts"
import { makeSnapshots, type SnapshotOptions } from "./snapshots.ts"
import type { UndoError } from "./undo-error.ts"
import { planUndo, type UndoPlan } from "./undo-plan.ts"
import { type UndoStore, undoStore } from "./undo-store.ts"

export interface UndoRequest {
  /** Id of a run or of a session; absent: the last run of the model that was not taken back. */
  readonly run?: string | undefined
  /** Also files that somebody changed since. */
  readonly force: boolean
}

export interface ListedRun {
  readonly run: RecordedRun
  readonly isUndone: boolean
}

export class Undo extends Context.Tag("agent/session/Undo")<
  Undo,
  {
    /** Newest first; runs of the model and undos alike. */
    readonly list: Effect.Effect<ReadonlyArray<ListedRun>, StorageError>
    /** Changes nothing in the workspace. */
    readonly plan: (request: UndoRequest) => Effect.Effect<UndoPlan, UndoError | StorageError>
    /** Not interruptible for long: a plan is carried out or can be made again for the rest. */
    readonly apply: (plan: UndoPlan) => Effect.Effect<UndoResult, UndoError | StorageError>
  }
>() {}

export const layer = (options: SnapshotOptions) =>
  Layer.sync(Undo, () => {
    const store = Effect.map(options.historyDir, undoStore)
    return Undo.of({
      list: Effect.map(store, ({ runs: folder }) => {
        const heads = readRunHeads(folder)
        return heads.map((head) => ({ run: readRun(head), isUndone: isUndone(head, heads) })).reverse()
      }),
      plan: Effect.fn("Undo.plan")(function* ({ force, run }) {
        const place = yield* store
        yield* settle(options, place)
        const chosen = yield* selectRuns(readRunHeads(place.runs), run, readRun)
        return planUndo(chosen, { force, stateOf: (path) => seeFile(path).state })
      }),
      apply: (plan) => Effect.flatMap(store, (place) => applyUndo(place, plan))
    })
  })

/** A run that was killed left it to the next look to find out what its last command did. */
const settle = Effect.fnUntraced(function* (options: SnapshotOptions, store: UndoStore) {
  const killed = killedRuns(store)
  if (killed.length === 0) return
  const at = yield* Clock.currentTimeMillis
  yield* Effect.gen(function* () {
    const roots = [...new Set(killed.flatMap((run) => run.roots))]
    const snapshots = yield* makeSnapshots({ ...options, roots: Effect.succeed(roots) })
    const found = yield* snapshots.look({ isFirst: true })
    yield* Effect.try(() => {
      for (const run of killed) settleKilledRun(store, run, found, snapshots, at)
    })
    yield* snapshots.save
  }).pipe(Effect.scoped, Effect.ignore)
})
