/**
 * Takes back what runs changed: lists them, plans, carries out. The sub-command and the slash command both stand on it.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { StorageError } from "../../system/storage-error.ts"
import { applyUndo, type UndoResult } from "./apply-undo.ts"
import { seeFile } from "./file-state.ts"
import { killedRuns, type RecordedRun, type RunHead, readRun, readRunHeads, settleKilledRun } from "./read-run.ts"
import { makeSnapshots, type SnapshotOptions } from "./snapshots.ts"
import { type PlanOptions, planUndo, UndoError, type UndoPlan } from "./undo-plan.ts"
import { type UndoStore, undoStore } from "./undo-store.ts"

export interface UndoRequest {
  /** Id of a run or of a session; absent: the last run of the model that was not taken back. */
  readonly run?: string | undefined
  /** Only a run of this session is meant where none is named. */
  readonly session?: string | undefined
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

// Which runs are meant: the last one, one by its id, or all of a session.

/** `heads` in the order of time; newest first where none is named, and then each is one that may be meant. */
const selectRuns = (
  heads: ReadonlyArray<RunHead>,
  { run: wanted, session }: Pick<UndoRequest, "run" | "session">,
  read: (head: RunHead) => RecordedRun
): Effect.Effect<ReadonlyArray<ReadonlyArray<RecordedRun>>, UndoError> => {
  if (wanted !== undefined) {
    const chosen = named(heads, wanted).map(read)
    return chosen.length === 0 ? new UndoError({ kind: "unknown-run", detail: wanted }) : Effect.succeed([chosen])
  }
  const chosen = openRuns(heads, session, read).map((run) => [run])
  if (chosen.length > 0) return Effect.succeed(chosen)
  const hasOthers = session !== undefined && openRuns(heads, undefined, read).length > 0
  return new UndoError({ kind: hasOthers ? "not-here" : "nothing", detail: "" })
}

/** Undos are taken back by their id only: without a name, each time one more run of the model is taken back. */
const openRuns = (
  heads: ReadonlyArray<RunHead>,
  session: string | undefined,
  read: (head: RunHead) => RecordedRun
): ReadonlyArray<RecordedRun> =>
  heads
    .toReversed()
    .filter((head) => session === undefined || head.session === session)
    .filter((head) => head.undoes.length === 0 && !isUndone(head, heads))
    .map(read)
    .filter(hasEffects)

/** What somebody took back by hand keeps nobody from what was done before it. */
const planFirst = Effect.fnUntraced(function* (
  candidates: ReadonlyArray<ReadonlyArray<RecordedRun>>,
  options: PlanOptions
) {
  const passedOver: Array<RecordedRun> = []
  let newest: UndoPlan | undefined
  for (const runs of candidates) {
    const goingOn = runs.find((run) => run.isGoingOn)
    if (goingOn !== undefined) return yield* new UndoError({ kind: "going-on", detail: goingOn.id })
    const plan = planUndo(runs, options)
    if (plan.steps.length > 0 || plan.leftAlone.length > 0) return { ...plan, passedOver }
    newest ??= plan
    passedOver.push(...runs)
  }
  return newest ?? (yield* new UndoError({ kind: "nothing", detail: "" }))
})

const named = (heads: ReadonlyArray<RunHead>, wanted: string): ReadonlyArray<RunHead> => {
  const one = heads.filter(({ id }) => id === wanted)
  if (one.length > 0) return one
  return heads.filter((head) => head.session === wanted && head.undoes.length === 0 && !isUndone(head, heads))
}

const hasEffects = ({ calls, uncovered }: RecordedRun): boolean =>
  uncovered.length > 0 || calls.some(({ changes, isOpen }) => isOpen || changes.length > 0)

/** By a later undo that left nothing alone and was not taken back itself. The id of a run that went is used again. */
const isUndone = (run: RunHead, heads: ReadonlyArray<RunHead>): boolean =>
  heads.some(
    (other) => other.isComplete && other.at >= run.at && other.undoes.includes(run.id) && !isUndone(other, heads)
  )

export const layer = (options: SnapshotOptions) =>
  Layer.sync(Undo, () => {
    const store = Effect.map(options.historyDir, undoStore)
    return Undo.of({
      list: Effect.map(store, ({ runs: folder }) => {
        const heads = readRunHeads(folder)
        return heads.map((head) => ({ run: readRun(head), isUndone: isUndone(head, heads) })).reverse()
      }),
      plan: Effect.fn("Undo.plan")(function* ({ force, run, session }) {
        const place = yield* store
        yield* settle(options, place)
        const candidates = yield* selectRuns(readRunHeads(place.runs), { run, session }, readRun)
        return yield* planFirst(candidates, { force, stateOf: (path) => seeFile(path).state })
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
