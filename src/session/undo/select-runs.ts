/** Which runs are meant: the last one, one by its id, or all of a session. Pure. */
import { Effect } from "effect"
import type { RecordedRun } from "./read-run.ts"
import { UndoError } from "./undo-error.ts"

/** `runs` and the result in the order of time. */
export const selectRuns = (
  runs: ReadonlyArray<RecordedRun>,
  wanted: string | undefined
): Effect.Effect<ReadonlyArray<RecordedRun>, UndoError> => {
  const chosen = wanted === undefined ? lastOf(runs) : named(runs, wanted)
  if (chosen.length === 0) {
    return wanted === undefined
      ? new UndoError({ kind: "nothing", detail: "" })
      : new UndoError({ kind: "unknown-run", detail: wanted })
  }
  const goingOn = chosen.find((run) => run.isGoingOn && run.pid !== process.pid)
  return goingOn === undefined ? Effect.succeed(chosen) : new UndoError({ kind: "going-on", detail: goingOn.id })
}

/** Undos are taken back by their id only: without a name, each time one more run of the model is taken back. */
const lastOf = (runs: ReadonlyArray<RecordedRun>): ReadonlyArray<RecordedRun> => {
  const last = runs.findLast((run) => run.undoes.length === 0 && hasEffects(run) && !isUndone(run, runs))
  return last === undefined ? [] : [last]
}

const named = (runs: ReadonlyArray<RecordedRun>, wanted: string): ReadonlyArray<RecordedRun> => {
  const one = runs.filter(({ id }) => id === wanted)
  if (one.length > 0) return one
  return runs.filter((run) => run.session === wanted && run.undoes.length === 0 && !isUndone(run, runs))
}

const hasEffects = ({ calls, uncovered }: RecordedRun): boolean =>
  uncovered.length > 0 || calls.some(({ changes, isOpen }) => isOpen || changes.length > 0)

/** By a later undo that left nothing alone and was not taken back itself. The id of a run that went is used again. */
export const isUndone = (run: RecordedRun, runs: ReadonlyArray<RecordedRun>): boolean =>
  runs.some(
    (other) => other.isComplete && other.at >= run.at && other.undoes.includes(run.id) && !isUndone(other, runs)
  )
